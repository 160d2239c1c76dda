// Parts of the page that load after the first screen: updates, decisions of moderators, notifications and the app's badge.
import { useEffect } from 'react';
import { useUnmaskingNews } from '#web/app/use-unmasking-news.ts';
import { keepSubscription } from '#web/data/push-subscription.ts';
import { DecisionNews } from '#web/features/decisions/decision-news.tsx';
import type { LiveClient } from '#web/sync/room/room.ts';
import { AtNoticePlace } from '#web/ui/notices.tsx';
import { StaffNews } from './staff-news.tsx';
import { UpdateBar } from './update-bar.tsx';
import { useNotificationClicks } from './use-notification-clicks.ts';
import { useUnreadSigns } from './use-unread-signs.ts';
import styles from './installed-app.module.css';

export function InstalledApp({ live }: { live: LiveClient }) {
  useNotificationClicks();
  useUnreadSigns(live);
  useUnmaskingNews();
  useEffect(() => {
    // Without a connection, the next page load tries again.
    keepSubscription().catch(() => undefined);
  }, []);
  return (
    <AtNoticePlace>
      <div className={styles.area} role="status">
        <UpdateBar live={live} />
        <DecisionNews />
        <StaffNews />
      </div>
    </AtNoticePlace>
  );
}
