import { useMemo } from 'react';
import { useClasses } from '#web/data/classes.ts';
import { getText } from '#web/get-text.ts';
import type { LiveClient, Unread } from '#web/sync/room/room.ts';
import { UnreadNumber } from '#web/ui/unread-number.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { useStore } from '#web/use-store.ts';
import styles from './class-list.module.css';

export function useUnread(live: LiveClient, classId: string): Unread {
  const unread = useMemo(() => live.unread(classId), [live, classId]);
  return useStore(unread);
}

/** The count that the list and the title show: in a muted class only the mentions. */
export function toShownUnreadCount({ count, mentions, muted }: Unread): number {
  return muted ? mentions : count;
}

/** Whether there may be more unread messages than the count says. */
function hasMoreUnread({ hasMore, mentions, hasMoreMentions, muted }: Unread): boolean {
  return muted ? mentions > 0 && hasMoreMentions : hasMore;
}

/** The number of unread messages in all classes, such as '7' or '57+'. Empty if there are none. */
export function useTotalUnread(live: LiveClient): string {
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
      getSnapshot: () => sumUnread(counts.map((count) => count.getSnapshot())),
    };
  }, [live, classes]);
  return useStore(store);
}

function sumUnread(all: readonly Unread[]): string {
  const sum = all.reduce((total, unread) => total + toShownUnreadCount(unread), 0);
  if (sum === 0) return '';
  return all.some(hasMoreUnread) ? `${sum}+` : String(sum);
}

/** The number of unread messages, after an '@' if some of them mention the member. */
export function UnreadCount({ count, hasMore, mentions, hasMoreMentions, muted }: Unread) {
  return (
    <>
      {mentions > 0 && (
        <span className={styles.mention}>
          <span aria-hidden="true">@</span>
          <VisuallyHidden>
            {hasMoreMentions
              ? getText('classList.mentions.more', { count: mentions })
              : getText('classList.mentions', { count: mentions })}
            ,{' '}
          </VisuallyHidden>
        </span>
      )}
      {count > 0 && (
        <span className={styles.count} data-muted={muted || undefined}>
          <UnreadNumber count={count} hasMore={hasMore} />
        </span>
      )}
    </>
  );
}
