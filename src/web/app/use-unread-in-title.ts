import { useEffect } from 'react';
import type { Class } from '#contract/entities.ts';
import type { Live } from '#web/sync/room.ts';
import { setUnreadInTitle } from '#web/ui/use-title.ts';

/** How many messages are new in all of my classes. */
export function useUnreadInTitle(live: Live, classes: readonly Class[] | undefined): void {
  useEffect(() => {
    const counts = (classes ?? []).map(({ classId }) => live.unread(classId));
    const show = () =>
      setUnreadInTitle(counts.reduce((sum, count) => sum + count.getSnapshot(), 0));
    const stops = counts.map((count) => count.subscribe(show));
    show();
    return () => {
      for (const stop of stops) stop();
      setUnreadInTitle(0);
    };
  }, [live, classes]);
}
