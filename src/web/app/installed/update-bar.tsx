import { useEffect, useState } from 'react';
import { registerWorker } from '#web/data/app-worker.ts';
import { getText } from '#web/get-text.ts';
import type { LiveClient } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { NoticeBar } from '#web/ui/notice-bar.tsx';
import { isIdle, watchUpdates } from './watch-updates.ts';

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
  if (!hasUpdate || !idle) return null;
  return (
    <NoticeBar text={getText('app.update.ready')}>
      <Button variant="primary" onClick={() => location.reload()}>
        {getText('app.update.reload')}
      </Button>
      <Button variant="plain" onClick={() => setHasUpdate(false)}>
        {getText('app.update.later')}
      </Button>
    </NoticeBar>
  );
}
