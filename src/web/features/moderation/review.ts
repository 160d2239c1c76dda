// What a moderator chooses and types before a decision on an escalation or an appeal.
import type { Case, Review, ReviewBody } from '#contract/moderation.ts';

export const lengthLabels = { 7: 'a week', 30: 'a month', 120: 'a term', 0: 'good' } as const;
/** Days; 0 for a permanent suspension. */
export type Length = keyof typeof lengthLabels;

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
      return `Account suspended for ${lengthLabels[days ?? 0]}`;
    case 'dismiss':
      return 'No action on the escalation';
    case 'keep':
      return 'Appeal: kept';
    case 'lift':
      return 'Appeal: lifted';
    case null:
      if (kind === 'appeal') return 'Appeal';
      return state === 'open' ? 'Escalated to operators' : 'Operators decided';
  }
}
