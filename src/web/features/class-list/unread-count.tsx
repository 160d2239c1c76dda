import { limits } from '#contract/limits.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import styles from './class-list.module.css';

/** A room opens with so many messages: whether there are more new ones is not known. */
const mostCounted = limits.snapshotMessages;

export function UnreadCount({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span className={styles.unread}>
      {count < mostCounted ? count : `${mostCounted}+`}
      <VisuallyHidden> unread {count === 1 ? 'message' : 'messages'}</VisuallyHidden>
    </span>
  );
}
