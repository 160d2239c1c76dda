// What a moderator chooses and types before a decision.
import type { Case, DecisionBody } from '#contract/moderation.ts';
import { type MuteHours, reasonLabels } from '#web/data/moderation-labels.ts';
import { getText, language } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import { countReasons } from './case-text.ts';

export const outcomes = ['keep', 'remove', 'mute', 'expel', 'escalate'] as const;
export type Outcome = (typeof outcomes)[number];

export interface Draft {
  /** Null until the moderator chooses. */
  outcome: Outcome | null;
  hours: MuteHours;
  /** Whether a sanction or an escalation removes the message too. Null until chosen: sanctions do, escalations do not. */
  removesMessage: boolean | null;
  /** Whether another outcome asks operators about the account. */
  escalates: boolean;
  reason: string;
  /** The reason's field takes the focus. */
  takesFocus: boolean;
}

export const emptyDraft: Draft = {
  outcome: null,
  hours: 24,
  removesMessage: null,
  escalates: false,
  reason: '',
  takesFocus: false,
};

/** A person's case has no message to remove. */
export function listOutcomes({ messageId }: Pick<Case, 'messageId'>): readonly Outcome[] {
  return outcomes.filter((outcome) => outcome !== 'remove' || messageId !== null);
}

export const isRemovingMessage = ({ removesMessage, outcome }: Draft): boolean =>
  removesMessage ?? outcome !== 'escalate';

export function toDecision(
  { version, messageId }: Pick<Case, 'version' | 'messageId'>,
  draft: Draft,
): DecisionBody | null {
  const { outcome, hours, escalates, reason } = draft;
  if (outcome === null) return null;
  const escalate = outcome === 'escalate' || (escalates && outcome !== 'keep');
  const base = { version, reason: reason.trim(), ...(escalate && { escalate }) };
  if (outcome === 'keep' || outcome === 'remove') return { ...base, decision: outcome };
  const decision = isRemovingMessage(draft) && messageId !== null ? 'remove' : 'keep';
  if (outcome === 'escalate') return { ...base, decision };
  const sanction =
    outcome === 'mute' ? ({ kind: 'mute', hours } as const) : ({ kind: 'remove' } as const);
  return { ...base, decision, sanction };
}

const maxSuggestions = 4;

/**
 * Reasons that one press fills in: what the moderator wrote before, and why members reported it. Others read the reason, and a
 * language that is not the site's could tell who wrote it.
 */
export function listSuggestedReasons(
  { reports }: Pick<Case, 'reports'>,
  outcome: Outcome,
  previousReasons: readonly string[],
): string[] {
  if (language !== site.languages[0]) return previousReasons.slice(0, maxSuggestions);
  const reportedReasons = countReasons(reports).flatMap(([reason]) =>
    reason === 'other' ? [] : reasonLabels[reason],
  );
  const generalReasons = outcome === 'keep' ? [getText('moderation.withinRules')] : reportedReasons;
  return [...new Set([...previousReasons, ...generalReasons])].slice(0, maxSuggestions);
}
