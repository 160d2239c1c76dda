// What a moderator chooses and types before a decision on an escalation or an appeal.
import type { Case, Review, ReviewBody } from '#contract/moderation.ts';
import { getText } from '#web/get-text.ts';

/** Days; 0 for a permanent suspension. */
export const lengths = [7, 30, 120, 0] as const;
type Length = (typeof lengths)[number];

export interface ReviewDraft {
  decision: ReviewBody['decision'] | null;
  length: Length;
  reason: string;
  /** The reason's field takes the focus. */
  isChosenByKey: boolean;
}

export const emptyReviewDraft: ReviewDraft = {
  decision: null,
  length: 7,
  reason: '',
  isChosenByKey: false,
};

/** Lists the decisions in the order of their keys. */
export function listDecisions({ kind }: Pick<Review, 'kind'>): readonly ReviewBody['decision'][] {
  return kind === 'escalation' ? ['suspend', 'dismiss'] : ['keep', 'lift'];
}

/** The review that the moderator can decide next. Only operators decide escalations. */
export function findNextReview(
  { reviews }: Pick<Case, 'reviews'>,
  isOperator: boolean,
): Review | null {
  const openReviews = reviews.filter((review) => review.state === 'open');
  return openReviews.find(({ kind }) => kind === 'appeal' || isOperator) ?? null;
}

export function toReviewBody(
  { version }: Review,
  { decision, length, reason }: ReviewDraft,
): ReviewBody | null {
  if (decision === null) return null;
  const base = { version, reason: reason.trim() };
  if (decision === 'suspend') return { ...base, decision, days: length === 0 ? null : length };
  return { ...base, decision };
}

/** `Account suspended for a week` */
export function toReviewLabel({ kind, decision, days, state }: Review): string {
  switch (decision) {
    case 'suspend':
      return getText('moderation.review.suspended', { days: String(days ?? 0) });
    case 'dismiss':
      return getText('moderation.review.dismissed');
    case 'keep':
      return getText('moderation.review.kept');
    case 'lift':
      return getText('moderation.review.lifted');
    case null:
      if (kind === 'appeal') return getText('moderation.review.appeal');
      return state === 'open'
        ? getText('moderation.review.escalated')
        : getText('moderation.review.operatorsDecided');
  }
}
