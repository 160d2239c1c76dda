import { useMemo, useSyncExternalStore } from 'react';
import type { LiveClient, Unread } from '#web/sync/room/room.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import styles from './class-list.module.css';

export function useUnread(live: LiveClient, classId: string): Unread {
  const unread = useMemo(() => live.unread(classId), [live, classId]);
  return useSyncExternalStore(unread.subscribe, unread.getSnapshot);
}

/** What counts in the list and the title: in a muted class only the mentions. */
export function weighUnread({ count, mentions, muted }: Unread): number {
  return muted ? mentions : count;
}

/** There are or may be more of those. */
export function hasMoreUnread({ hasMore, mentions, hasMoreMentions, muted }: Unread): boolean {
  return muted ? mentions > 0 && hasMoreMentions : hasMore;
}

/** How many messages are unread, and apart from that how many of them mention the member. */
export function UnreadCount(unread: Unread) {
  const { count, hasMore, mentions, hasMoreMentions, muted } = unread;
  if (weighUnread(unread) === 0) return null;
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
