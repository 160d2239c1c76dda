// Suspensions of the account behind a persona. The server finds the account with the server key and stores only keyed
// hashes of it, encrypted. No row of an account changes (decision 48).
import { createHmac, randomBytes, type KeyObject } from 'node:crypto';
import { getToday } from '#server/base/days.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Reader } from '#server/store/site.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { listAccountIds, type AccountRecords } from '#server/accounts/account-records.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import {
  insertSuspension,
  listSuspensions,
  updateSuspension,
  type SuspensionRow,
} from './suspensions-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { hasPersona } from '#server/chat/members/member.ts';
import type { SuspensionKeys } from './keys.ts';

/** Derives what a suspension stores of an account. */
export interface SuspendedAccountKeys extends SuspensionKeys {
  toMailboxKey(email: string): string;
}

/** Keyed hashes of a suspended account and of its mailbox. The hash of the mailbox also matches a new account of the person. */
export interface AccountHashes {
  account: string;
  mailbox: string;
}

interface SuspensionContent {
  /** The suspended account; null after the link is erased. The stored name is from an earlier version. */
  holder: AccountHashes | null;
  /** Null if it has no end. */
  until: number | null;
  reason: string;
  staffName: string;
  /** Days since 1970. */
  day: number;
  /** When an operator lifted it. */
  liftedAt: number | null;
}

export interface Suspension extends Omit<SuspensionRow, 'content'>, SuspensionContent {}

/** An account, as sessions know it. */
export interface SuspendableAccount {
  id: string;
  email: string;
}

const dayMs = 24 * 60 * 60_000;
/** All rows have the same size, which fits the longest reason. */
const paddedBytes = 4096;
const retentionMs = 30 * dayMs; // SUSP-4
const accountsPerTurn = 500;

export function toAccountHashes(
  { ids, toMailboxKey }: SuspendedAccountKeys,
  account: SuspendableAccount,
): AccountHashes {
  return {
    account: hashAccount(ids, 'account', account.id),
    mailbox: hashAccount(ids, 'mailbox', toMailboxKey(account.email)),
  };
}

export function hashAccount(ids: KeyObject, kind: keyof AccountHashes, value: string): string {
  return createHmac('sha256', ids).update(`${kind}\u0000${value}`).digest('base64url');
}

/**
 * Finds the account of a persona. It computes the memberId of every account, so that the time does not tell whose persona it is.
 * Accounts that left the class are included. Call it outside of commits, because other commits would wait for it.
 *
 * @returns the account's id; null if there is no such account
 */
export async function findPersonaAccountId(
  { db, site }: Reader,
  { classId, memberId }: Pick<SuspensionRow, 'classId' | 'memberId'>,
): Promise<string | null> {
  const salt = (await findClass(db, classId))?.salt ?? '';
  let suspendedAccountId: string | null = null;
  for (const [index, accountId] of (await listAccountIds(db)).entries()) {
    if (index % accountsPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
    if (hasPersona(site.keys, salt, accountId, memberId)) suspendedAccountId = accountId;
  }
  return suspendedAccountId;
}

export interface SuspensionDependencies {
  keys: SuspendedAccountKeys;
  accountRecords: Pick<AccountRecords, 'findById'>;
}

/**
 * Hashes the account of the persona. If the persona has no account, or its link is removed, the hashes are random and look the
 * same.
 *
 * @param suspendedAccountId the result of `findPersonaAccountId`
 */
export async function getAccountHashes(
  { db, site }: Reader,
  { keys, accountRecords }: SuspensionDependencies,
  { classId, memberId }: Pick<SuspensionRow, 'classId' | 'memberId'>,
  suspendedAccountId: string | null,
): Promise<AccountHashes> {
  const salt = (await findClass(db, classId))?.salt ?? '';
  const account = await accountRecords.findById(db, suspendedAccountId ?? '');
  if (account && hasPersona(site.keys, salt, account.id, memberId)) {
    return toAccountHashes(keys, account);
  }
  return {
    account: randomBytes(32).toString('base64url'),
    mailbox: randomBytes(32).toString('base64url'),
  };
}

export async function addSuspension(
  unitOfWork: UnitOfWork,
  { contents }: Pick<SuspensionKeys, 'contents'>,
  details: Pick<Suspension, 'classId' | 'memberId' | 'caseId' | 'reason' | 'staffName'>,
  hashes: AccountHashes,
  days: number | null,
): Promise<void> {
  const { classId, memberId, caseId, reason, staffName } = details;
  const suspensionId = createRandomId();
  const content: SuspensionContent = {
    holder: hashes,
    reason,
    staffName,
    day: getToday(),
    liftedAt: null,
    until: days === null ? null : Date.now() + days * dayMs,
  };
  await insertSuspension(unitOfWork.db, {
    suspensionId,
    classId,
    memberId,
    caseId,
    status: 'active',
    content: sealContent(contents, suspensionId, content),
  });
  await appendChangeEvent(unitOfWork, 'suspensions-changed');
}

export function isInForce({ status, until }: Suspension): boolean {
  return status === 'active' && (until === null || until > Date.now());
}

export async function markSuspensionLifted(
  unitOfWork: UnitOfWork,
  { contents }: Pick<SuspensionKeys, 'contents'>,
  suspension: Suspension,
): Promise<void> {
  const liftedSuspension = { ...suspension, status: 'lifted', liftedAt: Date.now() } as const;
  await saveContent(unitOfWork.db, contents, liftedSuspension);
  await appendChangeEvent(unitOfWork, 'suspensions-changed');
}

/** Erases the link between account and suspension 30 days after its end. */
export async function eraseEndedLinks(
  db: Database,
  commits: CommitQueue,
  { contents }: Pick<SuspensionKeys, 'contents'>,
  now: number,
): Promise<void> {
  const listDueSuspensions = async (database: Database) =>
    (await listSuspensions(database))
      .map((row) => decryptSuspension(contents, row))
      .filter(({ holder, liftedAt, until }) => {
        const endedAt = liftedAt ?? until ?? Infinity;
        return holder !== null && endedAt + retentionMs <= now;
      });
  if ((await listDueSuspensions(db)).length === 0) return;
  await commits.write(async (unitOfWork) => {
    for (const suspension of await listDueSuspensions(unitOfWork.db)) {
      await saveContent(unitOfWork.db, contents, { ...suspension, holder: null });
    }
    await appendChangeEvent(unitOfWork, 'suspensions-changed');
    unitOfWork.contentErased();
  }, 'everything');
}

/**
 * Seals all suspensions with a new server key, or for new addresses of accounts. The hashes of a deleted account stay, so the
 * mailbox of that account is no longer recognized.
 */
export async function resealSuspensions(
  db: DatabaseTransaction,
  accounts: readonly SuspendableAccount[],
  keys: { oldKeys: SuspendedAccountKeys; newKeys: SuspendedAccountKeys },
): Promise<void> {
  const rows = await listSuspensions(db);
  if (rows.length === 0) return;
  const newHashes = new Map(
    accounts.map((account) => [
      toAccountHashes(keys.oldKeys, account).account,
      toAccountHashes(keys.newKeys, account),
    ]),
  );
  for (const row of rows) {
    const suspension = decryptSuspension(keys.oldKeys.contents, row);
    const { holder } = suspension;
    const newHolder = holder && (newHashes.get(holder.account) ?? holder);
    await saveContent(db, keys.newKeys.contents, { ...suspension, holder: newHolder });
  }
}

export function decryptSuspension(contents: KeyObject, row: SuspensionRow): Suspension {
  const { content, ...fields } = row;
  const text = unseal(contents, content, toContext(row.suspensionId));
  return { ...fields, ...(JSON.parse(text) as SuspensionContent) };
}

async function saveContent(
  db: DatabaseTransaction,
  contents: KeyObject,
  suspension: Suspension,
): Promise<void> {
  const { suspensionId, status, holder, until, reason, staffName, day, liftedAt } = suspension;
  const content = { holder, until, reason, staffName, day, liftedAt };
  await updateSuspension(db, suspensionId, {
    status,
    content: sealContent(contents, suspensionId, content),
  });
}

function sealContent(
  contents: KeyObject,
  suspensionId: string,
  content: SuspensionContent,
): string {
  const options = { padTo: paddedBytes, context: toContext(suspensionId) };
  return seal(contents, JSON.stringify(content), options);
}

function toContext(suspensionId: string): string {
  return `suspension ${suspensionId}`;
}
