import { type SubmitEvent, useEffect, useId } from 'react';
import type { Case, Review, ReviewBody } from '#contract/moderation.ts';
import { useCommand } from '#web/data/use-call.ts';
import { getText, getTexts } from '#web/get-text.ts';
import { moderationCalls } from './moderation.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { ReasonField, useReasonForm } from './reason-field.tsx';
import { listDecisions, lengths, type ReviewDraft, toReviewBody } from './review.ts';
import styles from './decision-form.module.css';

interface Props {
  review: Review;
  draft: ReviewDraft;
  onDraft: (change: Partial<ReviewDraft>) => void;
  onDecided: (decided: Case, review: Review) => void;
}

const decisionLabels: Record<ReviewBody['decision'], string> = {
  ...getTexts('moderation.review.decision'),
  dismiss: getText('moderation.decision.noAction'),
};

/** Decides an escalation or an appeal. If someone else decides first, the typed reason stays. */
export function ReviewForm({ review, draft, onDraft, onDecided }: Props) {
  const id = useId();
  const reasonForm = useReasonForm();
  // Not callbacks of `mutate`, which do not run if the moderator goes on to another case before the reply.
  const deciding = useCommand('decideReview', {
    refreshes: moderationCalls,
    onSuccess(reply) {
      const decidedReview = reply.case.reviews.find(
        (caseReview) => caseReview.reviewId === review.reviewId,
      );
      onDecided(reply.case, decidedReview ?? review);
    },
    onError: reasonForm.showError,
  });
  const { form, field, clearProblems } = reasonForm;
  const { decision, reason, isChosenByKey } = draft;
  const name = getText('moderation.review.kind', { kind: review.kind });
  useEffect(() => {
    if (decision !== null && isChosenByKey) field.current?.focus();
  }, [field, decision, isChosenByKey]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const body = toReviewBody(review, draft);
    if (deciding.isPending || !body) return;
    clearProblems();
    if (body.reason === '') return reasonForm.rejectReason(getText('moderation.reason.missing'));
    deciding.mutate({ params: { reviewId: review.reviewId }, body });
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
        <p className="meta">{getText('moderation.review.ownDecision')}</p>
      )}
      {decision !== null && (
        <>
          {decision === 'suspend' && (
            <fieldset className={styles.options}>
              <legend>{getText('moderation.review.suspendFor')}</legend>
              {lengths.map((days) => (
                <label key={days} className="check-row">
                  <input
                    type="radio"
                    name={`${id}-length`}
                    checked={draft.length === days}
                    onChange={() => onDraft({ length: days })}
                  />
                  {getText('moderation.review.length', { days: String(days) })}
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
          <Button onClick={() => onDraft({ decision: null })}>{getText('common.cancel')}</Button>
          <Button
            type="submit"
            variant={decision === 'suspend' ? 'danger' : 'primary'}
            aria-disabled={deciding.isPending}
          >
            {deciding.isPending ? getText('common.saving') : submitLabels[decision]}
          </Button>
        </div>
      )}
    </form>
  );
}

const submitLabels: Record<ReviewBody['decision'], string> = {
  ...getTexts('moderation.review.submit'),
  dismiss: getText('moderation.decision.takeNoAction'),
};

function toHint(decision: ReviewBody['decision']): string {
  if (decision === 'dismiss') return getText('moderation.review.dismissHint');
  if (decision === 'suspend') {
    return getText('moderation.reason.shownToSuspended');
  }
  return getText('moderation.reason.shown');
}
