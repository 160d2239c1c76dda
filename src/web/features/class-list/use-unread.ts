import { useMemo, useSyncExternalStore } from 'react';
import type { Live } from '#web/sync/room.ts';

/** How many messages of a class are new to me, as far as this browser holds them. */
export function useUnread(live: Live, classId: string): number {
  const store = useMemo(() => live.unread(classId), [live, classId]);
  return useSyncExternalStore(store.subscribe, store.getSnapshot);
}
