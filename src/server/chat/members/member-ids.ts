// Ids that only the server key can link to an account: of a member in a class, and of a reader's mark.
import { createHash, createHmac, type KeyObject } from 'node:crypto';
import { createRecentMap, type RecentMap } from '#server/base/recent-map.ts';

export interface DerivedId {
  id: string;
  /** The salt from which the id was derived. When the class has another salt, the id is no longer valid. */
  salt: string;
}

/**
 * Ids are cached, because an HMAC takes longer than a look-up. Each entry has its salt, so a new salt of the class makes no entry
 * wrong.
 */
const maxRecentIds = 20_000;
const recentIds = new Map<KeyObject, RecentMap<DerivedId>>();
/** The last known salt of each class, from which an id is derived before the class is read. Reading it reveals an old salt. */
const recentSalts = createRecentMap<string>(10_000);

/** Returns 16 random-looking characters for the account in the class with this salt. */
export function computeId(key: KeyObject, salt: string, accountId: string): string {
  const hmac = createHmac('sha256', key).update(`${salt}\u0000${accountId}`);
  return hmac.digest('base64url').slice(0, 16);
}

/**
 * Derives an account's id in a class: 16 random-looking characters that only the server key can link to the
 * account. No row stores the link, so no row reveals when or for whom the id was made. Without the class's salt,
 * no one can derive the id again.
 */
export function computeMemberId(
  personaKey: KeyObject,
  classSalt: string,
  accountId: string,
): string {
  return computeId(personaKey, classSalt, accountId);
}

const caseAskerPrefix = 'pq-';

/** Five characters that tell nothing about the asker. A case has them, so that whether it is about an account can be computed. */
export const toCaseAskerNonce = (questionId: string): string =>
  createHash('sha256').update(questionId).digest('base64url').slice(0, 5);

/** @param voter see `deriveVoter` */
export const computeAskerId = (voteKey: KeyObject, voter: string, nonce: string): string =>
  computeId(voteKey, voter, `private ${nonce}`);

/**
 * Derives the id under which a case names the asker of a private question. No persona has it, and another question of the same asker
 * has another one, so that whoever reads cases links neither. Nothing looks for the account: the time would tell its place.
 */
export function toCaseAskerId(voteKey: KeyObject, askerId: string, nonce: string): string {
  return `${caseAskerPrefix}${nonce}${computeId(voteKey, askerId, 'case').slice(0, 8)}`;
}

/** Derives the id of `toCaseAskerId` from the account. */
export function computeCaseAskerId(
  voteKey: KeyObject,
  classSalt: string,
  accountId: string,
  nonce: string,
): string {
  const voter = computeId(voteKey, classSalt, accountId);
  return toCaseAskerId(voteKey, computeAskerId(voteKey, voter, nonce), nonce);
}

/** Whether it is such an id, of whichever account. */
export const hasCaseAskerPrefix = (memberId: string): boolean =>
  memberId.startsWith(caseAskerPrefix);

export const getCaseAskerNonce = (caseAskerId: string): string => caseAskerId.slice(3, 8);

export function isCaseAskerId(
  voteKey: KeyObject,
  classSalt: string,
  accountId: string,
  memberId: string,
): boolean {
  if (!hasCaseAskerPrefix(memberId)) return false;
  const nonce = getCaseAskerNonce(memberId);
  return computeCaseAskerId(voteKey, classSalt, accountId, nonce) === memberId;
}

/** The name of an asker in a case. A tile would have the name of a persona of the room. Moderators have many languages. */
export const caseAskerName = '👤';

/** Returns the id of the account with the last known salt of the class. Null if no salt is in memory. */
export function findRecentId(key: KeyObject, accountId: string, classId: string): DerivedId | null {
  const salt = recentSalts.get(classId);
  return salt === undefined ? null : deriveId(key, salt, accountId, classId);
}

/** Keeps the salt in memory. Call this with the salt of a row that was just read. */
export function rememberSalt(classId: string, salt: string): void {
  recentSalts.set(classId, salt);
}

/** Computes the id like `computeId`, and keeps it in memory. */
export function deriveId(
  key: KeyObject,
  salt: string,
  accountId: string,
  classId: string,
): DerivedId {
  const ids = getRecentIds(key);
  const recent = ids.get(`${accountId} ${classId}`);
  if (recent?.salt === salt) return recent;
  const derived = { id: computeId(key, salt, accountId), salt };
  ids.set(`${accountId} ${classId}`, derived);
  return derived;
}

/**
 * Forgets the ids of a class when the links of its personas to accounts are removed. No salt and no pair of ids may stay in
 * memory.
 */
export function forgetIds(classId: string): void {
  recentSalts.delete(classId);
  for (const ids of recentIds.values()) {
    for (const key of ids.keys()) if (key.endsWith(` ${classId}`)) ids.delete(key);
  }
}

function getRecentIds(key: KeyObject): RecentMap<DerivedId> {
  let ids = recentIds.get(key);
  if (!ids) {
    ids = createRecentMap(maxRecentIds);
    recentIds.set(key, ids);
  }
  return ids;
}
