import { useEffect, useState } from 'react';
import { registerWorker } from '#web/data/app-worker.ts';
import type { LiveClient } from '#web/sync/room/room.ts';
import { AtNoticePlace, NoticeBar } from '#web/ui/notices.tsx';
import { isIdle, watchUpdates } from './watch-updates.ts';
import styles from './update-bar.module.css';

const pollIntervalMs = 1000;

/** Offers a new version as long as a reload would lose nothing. */
export function UpdateBar({ live }: { live: Pick<LiveClient, 'unsentCount'> }) {
  const [hasUpdate, setHasUpdate] = useState(false);
  const [idle, setIdle] = useState(false);
  useEffect(() => {
    let stop: (() => void) | null = null;
    let isCurrent = true;
    void registerWorker().then((registration) => {
      if (registration && isCurrent) stop = watchUpdates(registration, () => setHasUpdate(true));
    });
    return () => {
      isCurrent = false;
      stop?.();
    };
  }, []);
  useEffect(() => {
    if (!hasUpdate) return;
    const timer = setInterval(() => setIdle(isIdle(live)), pollIntervalMs);
    return () => clearInterval(timer);
  }, [hasUpdate, live]);
  return (
    <AtNoticePlace>
      <div className={styles.area} role="status">
        {hasUpdate && idle && (
          <NoticeBar
            text="A new version is ready"
            actionLabel="Reload"
            onAction={() => location.reload()}
            onClose={() => setHasUpdate(false)}
          />
        )}
      </div>
    </AtNoticePlace>
  );
}
