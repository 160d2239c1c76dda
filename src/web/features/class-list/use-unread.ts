import { useMemo, useSyncExternalStore } from 'react';
import type { Live } from '#web/sync/room.ts';

/** How many messages of a class are new to me, as far as this browser holds them. */
export function useUnread(live: Live, classId: string): { count: number; hasMore: boolean } {
  const count = useMemo(() => live.unread(classId), [live, classId]);
  const more = useMemo(() => live.hasMoreUnread(classId), [live, classId]);
  return {
    count: useSyncExternalStore(count.subscribe, count.getSnapshot),
    hasMore: useSyncExternalStore(more.subscribe, more.getSnapshot),
  };
}
