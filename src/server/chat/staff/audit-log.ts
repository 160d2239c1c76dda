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
  /** Empty for a command of the server's administrator. */
  staffName: string;
  act: AuditAction;
  classId?: string | null;
  memberId?: string | null;
  caseId?: string | null;
  reason: string;
}

const minuteMs = 60_000;
/** The hash before the first entry. */
const noHash = '0'.repeat(64);

/** Appends in the commit of the action itself, so that no action is without its entry. */
export async function appendAudit(
  { db }: { db: DatabaseTransaction },
  { staffName, act, classId = null, memberId = null, caseId = null, reason }: AuditedAct,
): Promise<void> {
  const last = await findLastEntry(db);
  const number = (last?.number ?? 0) + 1;
  // The minute: a finer time could match that of a moderator's own message.
  const roundedTime = Math.floor(Date.now() / minuteMs) * minuteMs;
  const entry = { number, at: roundedTime, staffName, act, classId, memberId, caseId, reason };
  await insertEntry(db, { ...entry, hash: hashEntry(last?.hash ?? noHash, entry) });
}

function hashEntry(previous: string, entry: Omit<AuditRow, 'hash'>): string {
  const { number, at, staffName, act, classId, memberId, caseId, reason } = entry;
  const fields = [previous, number, at, staffName, act, classId, memberId, caseId, reason];
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
 * @param noted the last hash of an earlier check: a log without its last entries is a whole chain, too
 * @param personaKey without it, a hash that was noted before a change of the server key is not found
 */
export async function verifyAudit(
  db: Database,
  noted = '',
  personaKey: KeyObject | null = null,
): Promise<AuditCheck> {
  let entries = 0;
  let lastHash = noHash;
  let hasNoted = noted === '';
  for await (const entry of listAllEntries(db)) {
    entries += 1;
    const fits = entry.number === entries && entry.hash === hashEntry(lastHash, entry);
    if (!fits) return { entries, lastHash, brokenAt: entries, hasNoted };
    lastHash = entry.hash;
    hasNoted ||= lastHash === noted || isRenamed(entry, noted, personaKey);
  }
  return { entries, lastHash, brokenAt: null, hasNoted };
}

/** Whether a new server key changed the noted hash, which was the last one then. */
function isRenamed(
  { act, reason }: AuditRow,
  noted: string,
  personaKey: KeyObject | null,
): boolean {
  if (act !== 'new-key' || !personaKey) return false;
  return reason === sealHash(personaKey, noted);
}

const plainHash = /^Last hash before: ([0-9a-f]{64})$/;

/**
 * A plain hash would confirm guesses: anyone who has the old server key can derive the old memberIds of guessed accounts and hash
 * the old chain with them.
 */
function sealHash(personaKey: KeyObject, hash: string): string {
  const { audit } = deriveModerationKeys(personaKey);
  return `Sealed last hash before: ${createHmac('sha256', audit).update(hash).digest('hex')}`;
}

/** Versions before wrote the plain hash at a change of the server key. All hashes from there on change. */
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

/** A new server key renames all members. Hashes that an earlier key sealed cannot be confirmed any more. */
export async function renameInAuditLog(
  db: DatabaseTransaction,
  newKey: KeyObject,
  toNewId: (classId: string, memberId: string) => string,
): Promise<void> {
  await rewriteAuditLog(db, newKey, ({ act, classId, memberId, reason }) => ({
    memberId: classId && memberId ? toNewId(classId, memberId) : memberId,
    // It would confirm guesses to anyone who has two earlier keys.
    reason: act === 'new-key' ? '' : reason,
  }));
}

/**
 * Changes entries, so all later hashes change. The last entry then confirms the last hash before. A broken chain stays as it
 * is, so that the break remains visible.
 */
async function rewriteAuditLog(
  db: DatabaseTransaction,
  personaKey: KeyObject,
  change: (entry: AuditRow) => Pick<AuditRow, 'memberId' | 'reason'>,
): Promise<void> {
  const verification = await verifyAudit(db);
  if (verification.entries === 0) return;
  let previous = noHash;
  for await (const entry of listAllEntries(db)) {
    const changes = change(entry);
    const hash =
      verification.brokenAt === null || entry.number < verification.brokenAt
        ? hashEntry(previous, { ...entry, ...changes })
        : entry.hash;
    await replaceEntry(db, { number: entry.number, ...changes, hash });
    previous = hash;
  }
  const reason = sealHash(personaKey, verification.lastHash);
  await appendAudit({ db }, { staffName: '', act: 'new-key', reason });
}
