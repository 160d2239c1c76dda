import { useMemo, useSyncExternalStore } from 'react';
import type { LiveClient, Unread } from '#web/sync/room/room.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import styles from './class-list.module.css';

export function useUnread(live: LiveClient, classId: string): Unread {
  const unread = useMemo(() => live.unread(classId), [live, classId]);
  return useSyncExternalStore(unread.subscribe, unread.getSnapshot);
}

/** The count that the list and the title show: in a muted class only the mentions. */
export function toShownUnreadCount({ count, mentions, muted }: Unread): number {
  return muted ? mentions : count;
}

/** Whether there may be more unread messages than the count says. */
export function hasMoreUnread({ hasMore, mentions, hasMoreMentions, muted }: Unread): boolean {
  return muted ? mentions > 0 && hasMoreMentions : hasMore;
}

/** The number of unread messages and, separately, of those that mention the member. */
export function UnreadCount(unread: Unread) {
  const { count, hasMore, mentions, hasMoreMentions, muted } = unread;
  if (toShownUnreadCount(unread) === 0) return null;
  return (
    <span className={styles.counts}>
      {mentions > 0 && (
        <span className={styles.mentions}>
          <span aria-hidden="true">
            @{mentions}
            {hasMoreMentions && '+'}
          </span>
          <VisuallyHidden>
            {mentions}
            {hasMoreMentions && '+'} {mentions === 1 && !hasMoreMentions ? 'mention' : 'mentions'}{' '}
            of you,{' '}
          </VisuallyHidden>
        </span>
      )}
      {!muted && (
        <span className={styles.unread}>
          {count}
          {hasMore && '+'}
          <VisuallyHidden> unread {count === 1 ? 'message' : 'messages'}</VisuallyHidden>
        </span>
      )}
    </span>
  );
}
