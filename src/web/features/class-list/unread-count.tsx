import { useMemo, useSyncExternalStore } from 'react';
import { limits } from '#contract/limits.ts';
import type { Live } from '#web/sync/room.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import styles from './class-list.module.css';

const maxCounted = limits.snapshotMessages;

interface Unread {
  count: number;
  /** A room opens with its latest messages: older ones may be new to me too. */
  hasMore: boolean;
}

/** How many messages of a class are new to me, as far as this browser holds them. */
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
