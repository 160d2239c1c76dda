// The audit log: each entry's hash covers the previous hash, so a changed or missing entry breaks the chain.
import { createHash, createHmac, type KeyObject } from 'node:crypto';
import type { AuditAction } from '#contract/moderation.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import {
  listAllEntries,
  findLastEntry,
  hasEntryWithReason,
  insertEntry,
  replaceEntry,
  type AuditRow,
} from './audit-log-queries.ts';
import { deriveModerationKeys } from './keys.ts';

export interface AuditedAct {
  /** The moderator's or operator's name, or `administratorName`. */
  staffName: string;
  act: AuditAction;
  classId?: string | null;
  memberId?: string | null;
  caseId?: string | null;
  reason: string;
}

/** The stored name of the administrator, who acts by command. The screen shows 'Command line'. */
export const administratorName = '';

const minuteMs = 60_000;
/** The hash before the first entry. */
const noHash = '0'.repeat(64);

/** Appends an entry in the commit of the action, so that every action has its entry. */
export async function appendAudit(
  { db }: { db: DatabaseTransaction },
  { staffName, act, classId = null, memberId = null, caseId = null, reason }: AuditedAct,
): Promise<void> {
  const lastEntry = await findLastEntry(db);
  const number = (lastEntry?.number ?? 0) + 1;
  // A time finer than a minute could be matched with a message of the same moderator.
  const roundedTime = Math.floor(Date.now() / minuteMs) * minuteMs;
  const entry = { number, at: roundedTime, staffName, act, classId, memberId, caseId, reason };
  await insertEntry(db, { ...entry, hash: hashEntry(lastEntry?.hash ?? noHash, entry) });
}

function hashEntry(previousHash: string, entry: Omit<AuditRow, 'hash'>): string {
  const { number, at, staffName, act, classId, memberId, caseId, reason } = entry;
  const fields = [previousHash, number, at, staffName, act, classId, memberId, caseId, reason];
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}

export interface AuditCheck {
  entries: number;
  /** The hash of the last entry. An operator who notes it can later see whether the log was replaced. */
  lastHash: string;
  /** The number of the first entry that does not fit; null if the chain is whole. */
  brokenAt: number | null;
  /** Whether the log still contains the entry with the noted hash. */
  hasNoted: boolean;
}

/**
 * Checks the chain of hashes.
 *
 * @param notedHash the last hash of an earlier check. Without it, no one can tell whether the last entries were deleted
 * @param personaKey finds a hash that was noted before a change of the server key
 */
export async function verifyAudit(
  db: Database,
  notedHash = '',
  personaKey: KeyObject | null = null,
): Promise<AuditCheck> {
  let entries = 0;
  let lastHash = noHash;
  let hasNoted = notedHash === '';
  for await (const entry of listAllEntries(db)) {
    entries += 1;
    const isValid = entry.number === entries && entry.hash === hashEntry(lastHash, entry);
    if (!isValid) return { entries, lastHash, brokenAt: entries, hasNoted };
    lastHash = entry.hash;
    hasNoted ||= lastHash === notedHash || hasSealedHash(entry, notedHash, personaKey);
  }
  return { entries, lastHash, brokenAt: null, hasNoted };
}

/** Tells whether the entry is about a new server key, before which the noted hash was the last one. */
function hasSealedHash(
  { act, reason }: AuditRow,
  notedHash: string,
  personaKey: KeyObject | null,
): boolean {
  if (act !== 'new-key' || !personaKey) return false;
  return reason === sealHash(personaKey, notedHash);
}

const plainHash = /^Last hash before: ([0-9a-f]{64})$/;

/**
 * Hashes the last hash with a key, because a plain hash would confirm guesses: anyone who has the old server key can derive the
 * old memberIds of guessed accounts, and compute the old chain with them.
 */
function sealHash(personaKey: KeyObject, hash: string): string {
  const { audit } = deriveModerationKeys(personaKey);
  return `Sealed last hash before: ${createHmac('sha256', audit).update(hash).digest('hex')}`;
}

/** Seals the plain hashes that earlier versions wrote at a change of the server key. The hashes of all later entries change. */
export async function sealHashesBeforeNewKeys(
  commits: CommitQueue,
  db: Database,
  personaKey: KeyObject,
): Promise<void> {
  if (!(await hasEntryWithReason(db, 'new-key', 'Last hash before: %'))) return;
  await commits.write(async (unitOfWork) => {
    await rewriteAuditLog(unitOfWork.db, personaKey, ({ memberId, reason }) => {
      const [, hash] = plainHash.exec(reason) ?? [];
      return { memberId, reason: hash ? sealHash(personaKey, hash) : reason };
    });
    unitOfWork.contentErased();
  }, 'everything');
}

/** Replaces all memberIds after a change of the server key. Hashes that an earlier key sealed cannot be confirmed any more. */
export async function renameInAuditLog(
  db: DatabaseTransaction,
  newKey: KeyObject,
  toNewId: (classId: string, memberId: string) => string,
): Promise<void> {
  await rewriteAuditLog(db, newKey, ({ act, classId, memberId, reason }) => ({
    memberId: classId && memberId ? toNewId(classId, memberId) : memberId,
    // The sealed hash of an earlier change would confirm guesses to anyone who has two earlier keys.
    reason: act === 'new-key' ? '' : reason,
  }));
}

/**
 * Changes entries and computes all later hashes again. A new last entry confirms the previous last hash. From a break of the
 * chain on, the hashes stay, so that the break remains visible.
 */
async function rewriteAuditLog(
  db: DatabaseTransaction,
  personaKey: KeyObject,
  change: (entry: AuditRow) => Pick<AuditRow, 'memberId' | 'reason'>,
): Promise<void> {
  const verification = await verifyAudit(db);
  if (verification.entries === 0) return;
  let previousHash = noHash;
  for await (const entry of listAllEntries(db)) {
    const changes = change(entry);
    const hash =
      verification.brokenAt === null || entry.number < verification.brokenAt
        ? hashEntry(previousHash, { ...entry, ...changes })
        : entry.hash;
    await replaceEntry(db, { number: entry.number, ...changes, hash });
    previousHash = hash;
  }
  const reason = sealHash(personaKey, verification.lastHash);
  await appendAudit({ db }, { staffName: administratorName, act: 'new-key', reason });
}
