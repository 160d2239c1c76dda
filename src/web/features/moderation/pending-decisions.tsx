import { useEffect, useEffectEvent, useState } from 'react';
import { RejectedError } from '#web/rejected-error.ts';
import type { Case, Review } from '#contract/moderation.ts';
import { toErrorMessage } from '#web/api.ts';
import { useUndoDecision, useUndoReview } from './moderation.ts';
import { toDecisionLabel } from '#web/data/moderation-labels.ts';
import { Button } from '#web/ui/button.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import type { Draft } from './decision.ts';
import { type ReviewDraft, toReviewLabel } from './review.ts';
import styles from './pending-decisions.module.css';

/** What was decided, with what was chosen and typed, for after an undo. */
type Decided =
  | { decided: Case; review: null; draft: Draft }
  | { decided: Case; review: Review; draft: ReviewDraft };

type Pending = Decided & {
  /** A time of this browser's clock, which may differ from the server's. */
  endsAt: number;
};

const undoMs = 10_000; // MOD-55

const toDecisionId = ({ decided, review }: Decided) => review?.reviewId ?? decided.caseId;

/** The moderator's own decisions that can still be undone, newest last. */
export function usePendingDecisions(onUndone: (one: Decided) => void) {
  const [pending, setPending] = useState<readonly Pending[]>([]);
  const notify = useNotify();
  const undoing = useUndoDecision();
  const undoingReview = useUndoReview();
  const remove = (id: string) =>
    setPending((all) => all.filter((pendingDecision) => toDecisionId(pendingDecision) !== id));
  const undo = (pendingDecision: Pending) => {
    remove(toDecisionId(pendingDecision));
    const options = {
      onSuccess() {
        notify({ text: 'The decision was undone.' });
        onUndone(pendingDecision);
      },
      onError(error: Error) {
        notify({ text: toErrorMessage(error) });
        // If only the network failed, the moderator can still try again.
        if (!(error instanceof RejectedError) && Date.now() < pendingDecision.endsAt) {
          setPending((all) => [...all, pendingDecision]);
        }
      },
    };
    if (pendingDecision.review) undoingReview.mutate(pendingDecision.review.reviewId, options);
    else undoing.mutate(pendingDecision.decided.caseId, options);
  };
  return {
    pending,
    remove,
    undo,
    undoLast() {
      const last = pending.at(-1);
      if (last) undo(last);
    },
    add(decision: Decided) {
      setPending((all) => [...all, { ...decision, endsAt: Date.now() + undoMs }]);
    },
  };
}

type Props = Pick<ReturnType<typeof usePendingDecisions>, 'pending' | 'undo' | 'remove'>;

/** One line for each decision, with the seconds that remain to undo it. */
export function PendingDecisions({ pending, undo, remove }: Props) {
  return (
    <div className={styles.area} role="status">
      {pending.map((pendingDecision, index) => (
        <PendingLine
          key={toDecisionId(pendingDecision)}
          decided={pendingDecision.decided}
          review={pendingDecision.review}
          endsAt={pendingDecision.endsAt}
          isLast={index === pending.length - 1}
          onUndo={() => undo(pendingDecision)}
          onEnd={() => remove(toDecisionId(pendingDecision))}
        />
      ))}
    </div>
  );
}

interface LineProps {
  decided: Case;
  review: Review | null;
  endsAt: number;
  /** The one that the key undoes. */
  isLast: boolean;
  onUndo: () => void;
  onEnd: () => void;
}

function PendingLine({ decided, review, endsAt, isLast, onUndo, onEnd }: LineProps) {
  const [now, setNow] = useState(() => Date.now());
  const seconds = Math.max(0, Math.ceil((endsAt - now) / 1000));
  const end = useEffectEvent(onEnd);
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= endsAt) end();
    }, 250);
    return () => clearInterval(timer);
  }, [endsAt]);
  return (
    <div className={styles.line}>
      <p className={styles.what}>
        {review ? toReviewLabel(review) : toDecisionLabel(decided)}
        <span className={styles.who}>
          {' '}
          <bdi>{decided.persona.anonymousName}</bdi>, {decided.label}
        </span>
      </p>
      <span className={styles.seconds} role="timer" aria-label={`${seconds} seconds to undo`}>
        {seconds} s
      </span>
      <Button onClick={onUndo}>Undo {isLast && <kbd className={styles.key}>U</kbd>}</Button>
    </div>
  );
}
