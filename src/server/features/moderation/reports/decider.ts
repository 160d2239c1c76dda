// Who made a decision, so that someone else decides the appeal against it.
import { createHmac } from 'node:crypto';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import type { Site } from '#server/store/site.ts';

/** Who made a decision: the name that others see, and a keyed hash of the account, because two accounts can have one name. */
export interface Decider {
  staffName: string;
  decider: string;
}

/** @param id of the case or review. Each has another hash, so equal accounts are not recognized across them. */
export function toDecider(
  { keys }: Site,
  id: string,
  accountId: string,
  staffName: string,
): Decider {
  const hmac = createHmac('sha256', deriveModerationKeys(keys.personas).operators);
  const hash = hmac.update(`decision ${id}\u0000${accountId}`).digest('base64url');
  return { staffName, decider: hash.slice(0, 22) };
}

/** A decision that an appeal is about. Decisions of earlier versions have no `decider`. */
export interface AppealedDecision {
  decisionId: string;
  decider: string | null | undefined;
}

export function isDecidedBy(
  site: Site,
  { decisionId, decider }: AppealedDecision,
  accountId: string,
): boolean {
  return !!decider && decider === toDecider(site, decisionId, accountId, '').decider;
}
