import { useEffect, useEffectEvent, useState } from 'react';
import { RejectedError } from '#web/rejected-error.ts';
import type { Case, Review } from '#contract/moderation.ts';
import { toShownName } from '#contract/persona-name.ts';
import { toErrorMessage } from '#web/api.ts';
import { useCommand } from '#web/data/use-call.ts';
import { moderationCalls } from './moderation.ts';
import { toDecisionLabel } from '#web/data/moderation-labels.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import type { Draft } from './decision.ts';
import { type ReviewDraft, toReviewLabel } from './review.ts';
import styles from './pending-decisions.module.css';

/** A decision, with the draft that an undo brings back. */
type RevocableDecision =
  | { decidedCase: Case; review: null; draft: Draft }
  | { decidedCase: Case; review: Review; draft: ReviewDraft };

type PendingDecision = RevocableDecision & {
  /** A time of this browser's clock, which may differ from the server's. */
  endsAt: number;
};

const undoMs = 10_000; // MOD-15

const toDecisionId = ({ decidedCase, review }: RevocableDecision) =>
  review?.reviewId ?? decidedCase.caseId;

/** The moderator's own decisions that can still be undone, newest last. */
export function usePendingDecisions(onUndone: (decision: RevocableDecision) => void) {
  const [decisions, setDecisions] = useState<readonly PendingDecision[]>([]);
  const notify = useNotify();
  const undoing = useCommand('undoDecision', { refreshes: moderationCalls });
  const undoingReview = useCommand('undoReview', { refreshes: moderationCalls });
  const remove = (id: string) =>
    setDecisions((all) => all.filter((pendingDecision) => toDecisionId(pendingDecision) !== id));
  const undo = (pendingDecision: PendingDecision) => {
    remove(toDecisionId(pendingDecision));
    const options = {
      onSuccess() {
        notify({ text: getText('moderation.pending.undone') });
        onUndone(pendingDecision);
      },
      onError(error: Error) {
        notify({ text: toErrorMessage(error) });
        // If only the network failed, the moderator can still try again.
        if (!(error instanceof RejectedError) && Date.now() < pendingDecision.endsAt) {
          setDecisions((all) => [...all, pendingDecision]);
        }
      },
    };
    const { decidedCase, review } = pendingDecision;
    if (review) undoingReview.mutate({ params: { reviewId: review.reviewId } }, options);
    else undoing.mutate({ params: { caseId: decidedCase.caseId } }, options);
  };
  return {
    decisions,
    remove,
    undo,
    undoLast() {
      const last = decisions.at(-1);
      if (last) undo(last);
    },
    add(decision: RevocableDecision) {
      setDecisions((all) => [...all, { ...decision, endsAt: Date.now() + undoMs }]);
    },
  };
}

interface Props {
  decisions: readonly PendingDecision[];
  onUndo: (decision: PendingDecision) => void;
  /** The time to undo the decision is over. */
  onEnd: (id: string) => void;
}

/** One line for each decision, with the seconds that remain to undo it. */
export function PendingDecisions({ decisions, onUndo, onEnd }: Props) {
  return (
    <div className={styles.area} role="status">
      {decisions.map((pendingDecision, index) => (
        <PendingLine
          key={toDecisionId(pendingDecision)}
          decidedCase={pendingDecision.decidedCase}
          review={pendingDecision.review}
          endsAt={pendingDecision.endsAt}
          isLast={index === decisions.length - 1}
          onUndo={() => onUndo(pendingDecision)}
          onEnd={() => onEnd(toDecisionId(pendingDecision))}
        />
      ))}
    </div>
  );
}

interface LineProps {
  decidedCase: Case;
  review: Review | null;
  endsAt: number;
  /** The key undoes the last decision. */
  isLast: boolean;
  onUndo: () => void;
  onEnd: () => void;
}

function PendingLine({ decidedCase, review, endsAt, isLast, onUndo, onEnd }: LineProps) {
  const [now, setNow] = useState(() => Date.now());
  const seconds = Math.max(0, Math.ceil((endsAt - now) / 1000));
  const timeLeft = getText('moderation.pending.secondsLeft', { seconds });
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
        {review ? toReviewLabel(review) : toDecisionLabel(decidedCase)}
        <span className={styles.who}>
          {' · '}
          <bdi translate="no">{toShownName(decidedCase.persona)}</bdi>
          {getText('format.comma')}
          <bdi>{decidedCase.label}</bdi>
        </span>
      </p>
      <span className={styles.seconds} role="timer" aria-label={timeLeft}>
        {getText('moderation.pending.seconds', { seconds })}
      </span>
      <Button onClick={onUndo}>
        {getText('common.undo')} {isLast && <kbd className="key">U</kbd>}
      </Button>
    </div>
  );
}
