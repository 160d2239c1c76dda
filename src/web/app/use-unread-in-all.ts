import { useMemo, useSyncExternalStore } from 'react';
import { useLive } from '#web/app/live-provider.tsx';
import { useClasses } from '#web/data/classes.ts';

/** The number of unread messages in all classes of the member. */
export function useUnreadInAll(): number {
  const live = useLive();
  const classes = useClasses().data;
  const store = useMemo(() => {
    const counts = (classes ?? []).map(({ classId }) => live.unread(classId));
    return {
      subscribe(listener: () => void) {
        const stops = counts.map((count) => count.subscribe(listener));
        return () => {
          for (const stop of stops) stop();
        };
      },
      getSnapshot: () => counts.reduce((sum, count) => sum + count.getSnapshot(), 0),
    };
  }, [live, classes]);
  return useSyncExternalStore(store.subscribe, store.getSnapshot);
}
