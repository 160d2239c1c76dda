import { useState } from 'react';
import type { Case, Review } from '#contract/moderation.ts';
import { toShownName } from '#contract/persona-name.ts';
import { formatPastDay, formatMoment } from '#web/format.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { getText, getTexts } from '#web/get-text.ts';
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
      <h3>{getText('moderation.review.title')}</h3>
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
                ? getText('moderation.review.suspendedForever')
                : getText('moderation.review.suspendedUntil', {
                    moment: formatMoment(suspension.until),
                  })}{' '}
              {suspension.active && <Tag>{getText('moderation.sanctionActive')}</Tag>}
            </p>
            <p className={styles.meta}>
              <bdi>{suspension.staffName}</bdi>,{' '}
              <time dateTime={suspension.day}>{formatPastDay(suspension.day)}</time>
            </p>
            <p className={styles.reportText} dir="auto">
              {suspension.reason}
            </p>
          </div>
          {suspension.active && (
            <Button onClick={() => setIsLifting(true)}>{getText('moderation.lift.submit')}</Button>
          )}
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

const appealLabels = getTexts('moderation.review.appeal');

function ReviewItem({ review }: { review: Review }) {
  const { kind, sanction, text, day, state, decidedBy, reason, effectiveAt } = review;
  return (
    <li>
      <p>
        <strong>
          {kind === 'escalation'
            ? getText('moderation.review.escalated')
            : appealLabels[sanction?.kind ?? 'mute']}
        </strong>
        <span className={styles.meta}>
          {getText('format.comma')}
          <time dateTime={day}>{formatPastDay(day)}</time>
        </span>{' '}
        {state === 'open' && <Tag>{getText('moderation.review.toDecide')}</Tag>}
      </p>
      {text && (
        <p className={styles.reportText} dir="auto">
          {text}
        </p>
      )}
      {sanction && (
        <p className={styles.meta}>
          {getRichText('moderation.review.sanctionReason', {
            bdi: <bdi />,
            name: sanction.staffName,
            reason: sanction.reason,
          })}
        </p>
      )}
      {state === 'decided' && (
        <p>
          {decidedBy === null
            ? toReviewLabel(review)
            : getRichText('moderation.review.decidedBy', {
                decision: toReviewLabel(review),
                bdi: <bdi />,
                name: decidedBy,
              })}
          {effectiveAt !== null && (
            <span className={styles.meta}>
              {getText('format.comma')}
              {formatMoment(effectiveAt)}
            </span>
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
