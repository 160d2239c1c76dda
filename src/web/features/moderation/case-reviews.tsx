import { useState } from 'react';
import type { Case, Review } from '#contract/moderation.ts';
import { toShownName } from '#contract/persona-name.ts';
import { formatPastDay, formatMoment } from '#web/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Tag } from '#web/ui/tag.tsx';
import { LiftSuspension } from './lift-suspension.tsx';
import { toReviewLabel } from './review.ts';
import styles from './case-detail.module.css';

/** What happened in the case after its decision: the escalation, the suspension and appeals. */
export function CaseReviews({
  caseDetails: { reviews, suspension, persona },
}: {
  caseDetails: Case;
}) {
  const [isLifting, setIsLifting] = useState(false);
  if (reviews.length === 0 && !suspension) return null;
  return (
    <section className="stack-s">
      <h3>Escalation and appeals</h3>
      <ul className="stack-xs">
        {reviews.map((review) => (
          <ReviewItem key={review.reviewId} review={review} />
        ))}
      </ul>
      {suspension && (
        <div className={styles.sanction}>
          <div>
            <p>
              {suspension.until === null
                ? 'Account suspended permanently'
                : `Account suspended until ${formatMoment(suspension.until)}`}{' '}
              {suspension.active && <Tag>Active</Tag>}
            </p>
            <p className={styles.meta}>
              <bdi>{suspension.staffName}</bdi>,{' '}
              <time dateTime={suspension.day}>{formatPastDay(suspension.day)}</time>
            </p>
            <p className={styles.reportText} dir="auto">
              {suspension.reason}
            </p>
          </div>
          {suspension.active && <Button onClick={() => setIsLifting(true)}>Lift</Button>}
        </div>
      )}
      {suspension && isLifting && (
        <LiftSuspension
          suspensionId={suspension.suspensionId}
          name={toShownName(persona)}
          onClose={() => setIsLifting(false)}
        />
      )}
    </section>
  );
}

const appealLabels = {
  mute: 'Appeal against the mute',
  removed: 'Appeal against the removal from the class',
  suspension: 'Appeal against the suspension',
} as const;

function ReviewItem({ review }: { review: Review }) {
  const { kind, sanction, text, day, state, decidedBy, reason, effectiveAt } = review;
  return (
    <li>
      <p>
        <strong>
          {kind === 'escalation'
            ? 'Escalated to operators'
            : appealLabels[sanction?.kind ?? 'mute']}
        </strong>
        <span className={styles.meta}>
          , <time dateTime={day}>{formatPastDay(day)}</time>
        </span>{' '}
        {state === 'open' && <Tag>To decide</Tag>}
      </p>
      {text && (
        <p className={styles.reportText} dir="auto">
          {text}
        </p>
      )}
      {sanction && (
        <p className={styles.meta}>
          Decided by <bdi>{sanction.staffName}</bdi>: <bdi>{sanction.reason}</bdi>
        </p>
      )}
      {state === 'decided' && (
        <p>
          {toReviewLabel(review)}
          {decidedBy !== null && (
            <>
              {' '}
              by <bdi>{decidedBy}</bdi>
            </>
          )}
          {effectiveAt !== null && (
            <span className={styles.meta}>, {formatMoment(effectiveAt)}</span>
          )}
        </p>
      )}
      {reason && (
        <p className={styles.reportText} dir="auto">
          {reason}
        </p>
      )}
    </li>
  );
}
