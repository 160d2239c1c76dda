// What connects the page to the service worker and to the system. It loads after the first screen.
import { useEffect } from 'react';
import { keepSubscription } from '#web/data/push-subscription.ts';
import type { LiveClient } from '#web/sync/room.ts';
import { UpdateBar } from './update-bar.tsx';
import { useNotificationClicks } from './use-notification-clicks.ts';
import { useUnreadSigns } from './use-unread-signs.ts';

export function InstalledApp({ live }: { live: LiveClient }) {
  useNotificationClicks();
  useUnreadSigns(live);
  useEffect(() => {
    // Without a connection, the next page does it.
    keepSubscription().catch(() => undefined);
  }, []);
  return <UpdateBar live={live} />;
}
