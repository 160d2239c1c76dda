import { useMemo, useSyncExternalStore } from 'react';
import type { Live } from '#web/sync/room.ts';
import { limits } from '#contract/limits.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import styles from './class-list.module.css';

/** How many messages of a class are new to me, as far as this browser holds them. */
export function useUnread(live: Live, classId: string): number {
  const store = useMemo(() => live.unread(classId), [live, classId]);
  return useSyncExternalStore(store.subscribe, store.getSnapshot);
}

/** A room opens with so many messages: whether there are more new ones is not known. */
const maxCounted = limits.snapshotMessages;

export function UnreadCount({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span className={styles.unread}>
      {count < maxCounted ? count : `${maxCounted}+`}
      <VisuallyHidden> unread {count === 1 ? 'message' : 'messages'}</VisuallyHidden>
    </span>
  );
}
