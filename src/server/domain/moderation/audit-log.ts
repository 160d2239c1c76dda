// The audit log: each entry's hash covers the previous hash, so a changed or missing entry breaks the chain.
import { createHash } from 'node:crypto';
import type { AuditAct } from '#contract/moderation.ts';
import type { Database, DatabaseTransaction } from '#server/storage/database.ts';
import {
  everyEntry,
  findLastEntry,
  insertEntry,
  replaceEntry,
  type AuditRow,
} from '#server/storage/queries/audit-log.ts';

export interface AuditedAct {
  /** Empty for a command of the server's administrator. */
  staffName: string;
  act: AuditAct;
  classId?: string | null;
  memberId?: string | null;
  caseId?: string | null;
  reason: string;
}

const minuteMs = 60_000;
/** The hash before the first entry. */
const noHash = '0'.repeat(64);

/** In the commit of the act itself, so that none is without its entry. */
export async function appendAudit(
  { db }: { db: DatabaseTransaction },
  { staffName, act, classId = null, memberId = null, caseId = null, reason }: AuditedAct,
): Promise<void> {
  const last = await findLastEntry(db);
  const number = (last?.number ?? 0) + 1;
  // The minute: a finer time could match that of a moderator's own message.
  const at = Math.floor(Date.now() / minuteMs) * minuteMs;
  const entry = { number, at, staffName, act, classId, memberId, caseId, reason };
  await insertEntry(db, { ...entry, hash: hashOf(last?.hash ?? noHash, entry) });
}

function hashOf(previous: string, entry: Omit<AuditRow, 'hash'>): string {
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

/** @param noted the last hash of an earlier check: a log without its last entries is a whole chain, too */
export async function verifyAudit(db: Database, noted = ''): Promise<AuditCheck> {
  let entries = 0;
  let lastHash = noHash;
  let hasNoted = noted === '';
  for await (const entry of everyEntry(db)) {
    entries += 1;
    const fits = entry.number === entries && entry.hash === hashOf(lastHash, entry);
    if (!fits) return { entries, lastHash, brokenAt: entries, hasNoted };
    lastHash = entry.hash;
    hasNoted ||= lastHash === noted || isRenamed(entry, noted);
  }
  return { entries, lastHash, brokenAt: null, hasNoted };
}

/** Whether a new server key changed the noted hash, which was the last one then. */
function isRenamed({ act, reason }: AuditRow, noted: string): boolean {
  return act === 'new-key' && reason === lastHashBefore(noted);
}

const lastHashBefore = (hash: string) => `Last hash before: ${hash}`;

/**
 * A new server key renames all members, so all hashes change. The last entry then names the last hash before.
 * A broken chain stays as it is, so that the break remains visible.
 */
export async function renameInAuditLog(
  db: DatabaseTransaction,
  newIdOf: (classId: string, memberId: string) => string,
): Promise<void> {
  const before = await verifyAudit(db);
  if (before.entries === 0) return;
  let previous = noHash;
  for await (const entry of everyEntry(db)) {
    const { classId, memberId } = entry;
    const renamed = classId && memberId ? newIdOf(classId, memberId) : memberId;
    const hash =
      before.brokenAt === null || entry.number < before.brokenAt
        ? hashOf(previous, { ...entry, memberId: renamed })
        : entry.hash;
    await replaceEntry(db, { number: entry.number, memberId: renamed, hash });
    previous = hash;
  }
  const reason = lastHashBefore(before.lastHash);
  await appendAudit({ db }, { staffName: '', act: 'new-key', reason });
}
