import { type SubmitEvent, useEffect, useId } from 'react';
import type { Case, Review, ReviewBody } from '#contract/moderation.ts';
import { useCommand } from '#web/data/use-call.ts';
import { moderationCalls } from './moderation.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { ReasonField, useReasonForm } from './reason-field.tsx';
import {
  listDecisions,
  lengthLabels,
  type Length,
  type ReviewDraft,
  toReviewBody,
} from './review.ts';
import styles from './decision-form.module.css';

interface Props {
  review: Review;
  draft: ReviewDraft;
  onDraft: (change: Partial<ReviewDraft>) => void;
  onDecided: (decided: Case, review: Review) => void;
}

const decisionLabels: Record<ReviewBody['decision'], string> = {
  suspend: 'Suspend account',
  dismiss: 'No action',
  keep: 'Keep',
  lift: 'Lift',
};

/** Decides an escalation or an appeal. If someone else decides first, the typed reason stays. */
export function ReviewForm({ review, draft, onDraft, onDecided }: Props) {
  const id = useId();
  const deciding = useCommand('decideReview', { refreshes: moderationCalls });
  const reasonForm = useReasonForm(deciding.isPending);
  const { form, field, clearProblems } = reasonForm;
  const { decision, reason, isChosenByKey } = draft;
  const name = review.kind === 'escalation' ? 'Escalation' : 'Appeal';
  useEffect(() => {
    if (decision !== null && isChosenByKey) field.current?.focus();
  }, [field, decision, isChosenByKey]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const body = toReviewBody(review, draft);
    if (deciding.isPending || !body) return;
    clearProblems();
    if (body.reason === '') return reasonForm.rejectReason('Please enter a reason.');
    deciding.mutate(
      { params: { reviewId: review.reviewId }, body },
      {
        onSuccess(reply) {
          const decidedReview = reply.case.reviews.find(
            (caseReview) => caseReview.reviewId === review.reviewId,
          );
          onDecided(reply.case, decidedReview ?? review);
        },
        onError: reasonForm.showError,
      },
    );
  };
  return (
    <form ref={form} className="stack-m" onSubmit={submit} noValidate aria-label={name}>
      <div className={styles.outcomes} role="group" aria-label={name}>
        {listDecisions(review).map((choice, index) => (
          <button
            key={choice}
            type="button"
            className={styles.outcome}
            aria-pressed={decision === choice}
            onClick={() => {
              clearProblems();
              onDraft({ decision: decision === choice ? null : choice, isChosenByKey: true });
            }}
          >
            {decisionLabels[choice]}
            <kbd className="key" aria-hidden="true">
              {index + 1}
            </kbd>
          </button>
        ))}
      </div>
      {review.isOwnDecision && review.state === 'open' && (
        <p className="meta">
          You decided this yourself. If another moderator or operator can decide the appeal, they
          have to.
        </p>
      )}
      {decision !== null && (
        <>
          {decision === 'suspend' && (
            <fieldset className={styles.options}>
              <legend>Suspend for</legend>
              {([7, 30, 120, 0] as const satisfies Length[]).map((days) => (
                <label key={days} className="check-row">
                  <input
                    type="radio"
                    name={`${id}-length`}
                    checked={draft.length === days}
                    onChange={() => onDraft({ length: days })}
                  />
                  {lengthLabels[days]}
                </label>
              ))}
            </fieldset>
          )}
          <ReasonField
            ref={field}
            value={reason}
            hint={toHint(decision)}
            problem={reasonForm.problem}
            onChange={(text) => {
              onDraft({ reason: text });
              clearProblems();
            }}
          />
        </>
      )}
      <Callout kind="error">{reasonForm.error}</Callout>
      {decision !== null && (
        <div className={styles.actions}>
          <Button onClick={() => onDraft({ decision: null })}>Cancel</Button>
          <Button
            type="submit"
            variant={decision === 'suspend' ? 'danger' : 'primary'}
            aria-disabled={deciding.isPending}
          >
            {deciding.isPending ? 'Saving…' : submitLabels[decision]}
          </Button>
        </div>
      )}
    </form>
  );
}

const submitLabels: Record<ReviewBody['decision'], string> = {
  suspend: 'Suspend',
  dismiss: 'Take no action',
  keep: 'Keep as it is',
  lift: 'Lift it',
};

function toHint(decision: ReviewBody['decision']): string {
  if (decision === 'dismiss') return 'It is for the audit log.';
  if (decision === 'suspend') {
    return 'They will see this reason. No one else learns whose account it is.';
  }
  return 'They will see this reason, not your name.';
}
