// A question as one block: who has it too, its text, and its answer. It is the same in the room and in the panel; the
// hall and the print use its parts.
import type { ReactNode } from 'react';
import { formatNumber, getText } from '#web/get-text.ts';
import { Icon } from '#web/ui/icon.tsx';
import styles from './question-card.module.css';

interface CardProps {
  vote: VoteProps;
  /** The text of the question. */
  children: ReactNode;
  /** `done`: staff answered it aloud. Null: the answers below say it. */
  state: 'open' | 'done' | null;
  /** The answers, and what can be done with the question. */
  footer?: ReactNode;
}

export function QuestionCard({ vote, children, state, footer }: CardProps) {
  return (
    <div className={styles.card}>
      <VoteBox {...vote} />
      <div className={styles.question}>
        {children}
        {state && (
          <p className={styles.state} data-done={state === 'done' || undefined}>
            {state === 'done' && <Icon name="check" size={16} />}
            {state === 'done' ? getText('ui.question.answeredAloud') : getText('ui.question.open')}
          </p>
        )}
      </div>
      {footer}
    </div>
  );
}

interface VoteProps {
  votes: number;
  /** The viewer has this question, too. */
  voted: boolean;
  tabIndex?: 0 | -1;
  /** Null if the viewer cannot vote: on own questions, for example. The number is still shown. */
  onToggle: (() => void) | null;
}

/** The number of people who have a question too, and the viewer's own vote. */
function VoteBox({ votes, voted, tabIndex = 0, onToggle }: VoteProps) {
  const count = formatNumber(votes);
  if (!onToggle) {
    const label = getText('ui.question.votes', { count: votes });
    return (
      <div
        className={styles.vote}
        role="img"
        aria-label={label}
        data-label={getText('ui.question.meToo')}
        data-voted={voted || undefined}
      >
        {count}
      </div>
    );
  }
  return (
    <button
      type="button"
      className={styles.vote}
      tabIndex={tabIndex}
      aria-label={getText('ui.question.vote', { count: votes })}
      aria-pressed={voted}
      data-label={getText('ui.question.meToo')}
      data-voted={voted || undefined}
      onClick={onToggle}
    >
      {count}
    </button>
  );
}

interface AnswerProps {
  /** Says more than 'Answer' if staff has endorsed it. */
  label?: string;
  /** The author. */
  author?: ReactNode;
  /** The text. */
  children: ReactNode;
  tabIndex?: 0 | -1;
  /** Jumps to the answer. */
  onOpen?: () => void;
}

/** An answer, folded into the card of its question. */
export function FoldedAnswer({
  label = getText('ui.question.answer'),
  author,
  children,
  tabIndex,
  onOpen,
}: AnswerProps) {
  const content = (
    <>
      <span className={styles.answerHead}>
        <span className={styles.label}>
          <Icon name="check" size={16} />
          {label}
        </span>{' '}
        {author}
      </span>{' '}
      <span className={styles.answerText}>{children}</span>
    </>
  );
  if (!onOpen) return <div className={styles.answer}>{content}</div>;
  return (
    <button type="button" className={styles.answer} tabIndex={tabIndex} onClick={onOpen}>
      {content}
    </button>
  );
}
