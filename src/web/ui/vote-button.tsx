import { formatCount } from '#web/format.ts';
import styles from './vote-button.module.css';

const label = 'I have this question too';

interface Props {
  votes: number;
  voted: boolean;
  tabIndex?: 0 | -1;
  /** Null if the viewer cannot vote: on own questions, for example. The number is still shown. */
  onToggle: (() => void) | null;
}

/** The number of people who have a question too, and the viewer's own vote. */
export function VoteButton({ votes, voted, tabIndex = 0, onToggle }: Props) {
  if (!onToggle) {
    if (votes === 0) return null;
    return (
      <span className={styles.votes}>
        {votes === 1 ? '1 person has' : `${formatCount(votes)} people have`} this question too
      </span>
    );
  }
  return (
    <button
      type="button"
      className={styles.vote}
      tabIndex={tabIndex}
      aria-pressed={voted}
      onClick={onToggle}
    >
      {label}
      {votes > 0 && <span className={styles.count}> · {formatCount(votes)}</span>}
    </button>
  );
}
