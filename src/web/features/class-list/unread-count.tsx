import { limits } from '#contract/limits.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import styles from './class-list.module.css';

const maxCounted = limits.snapshotMessages;

interface Props {
  count: number;
  /** A room opens with its latest messages: there may be more new ones. */
  hasMore: boolean;
}

export function UnreadCount({ count, hasMore }: Props) {
  if (count === 0) return null;
  return (
    <span className={styles.unread}>
      {Math.min(count, maxCounted)}
      {(hasMore || count >= maxCounted) && '+'}
      <VisuallyHidden> unread {count === 1 ? 'message' : 'messages'}</VisuallyHidden>
    </span>
  );
}
