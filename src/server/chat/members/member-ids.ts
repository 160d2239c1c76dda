// Ids that only the server key can link to an account: of a member in a class, and of a reader's mark.
import { createHmac, type KeyObject } from 'node:crypto';
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

/**
 * Derives the id under which a case names the asker of a private question. No persona has it, and another question of the same asker
 * has another one, so that whoever reads cases links neither. It contains the nonce, so whether it is of an account can be computed.
 *
 * @param nonce the first five characters of the id of the question
 */
export function computeCaseAskerId(
  personaKey: KeyObject,
  classSalt: string,
  accountId: string,
  nonce: string,
): string {
  const id = computeId(personaKey, classSalt, `private ${nonce} ${accountId}`);
  return `${caseAskerPrefix}${nonce}${id.slice(0, 8)}`;
}

/** Whether it is such an id, of whichever account. */
export const hasCaseAskerPrefix = (memberId: string): boolean =>
  memberId.startsWith(caseAskerPrefix);

export const getCaseAskerNonce = (caseAskerId: string): string => caseAskerId.slice(3, 8);

export function isCaseAskerId(
  personaKey: KeyObject,
  classSalt: string,
  accountId: string,
  memberId: string,
): boolean {
  const nonce = getCaseAskerNonce(memberId);
  return computeCaseAskerId(personaKey, classSalt, accountId, nonce) === memberId;
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
