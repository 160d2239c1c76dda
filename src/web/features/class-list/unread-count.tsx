import { useMemo, useSyncExternalStore } from 'react';
import { limits } from '#contract/limits.ts';
import type { Live } from '#web/sync/room.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import styles from './class-list.module.css';

const maxCounted = limits.snapshotMessages;

interface Unread {
  count: number;
  /** A room loads its latest messages first, so older messages may also be unread. */
  hasMore: boolean;
}

/** The number of unread messages of a class that this browser holds. */
export function useUnread(live: Live, classId: string): Unread {
  const count = useMemo(() => live.unread(classId), [live, classId]);
  const more = useMemo(() => live.hasMoreUnread(classId), [live, classId]);
  return {
    count: useSyncExternalStore(count.subscribe, count.getSnapshot),
    hasMore: useSyncExternalStore(more.subscribe, more.getSnapshot),
  };
}

export function UnreadCount({ count, hasMore }: Unread) {
  if (count === 0) return null;
  return (
    <span className={styles.unread}>
      {Math.min(count, maxCounted)}
      {(hasMore || count >= maxCounted) && '+'}
      <VisuallyHidden> unread {count === 1 ? 'message' : 'messages'}</VisuallyHidden>
    </span>
  );
}
