import type { KeyObject } from 'node:crypto';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { clearMailboxKeys, listAddresses, listByAge, setMailboxKey } from './accounts-queries.ts';
import { findMetadata, writeMetadata } from '#server/store/server-metadata-queries.ts';
import type { MailboxRules } from '#server/config/config-types.ts';
import type { Mailboxes } from './mailboxes.ts';

const metadataName = 'mailboxRules';

const setByKeyName = 'mailboxKeysSetBy';

interface Dependencies {
  db: Database;
  commits: CommitQueue;
  rules: MailboxRules;
  mailboxes: Pick<Mailboxes, 'toKey'>;
  timesKey: KeyObject;
  /** Identifies the server key. */
  keyCheck: string;
  /** Adapts the suspensions, which find accounts by their mailboxes, too. */
  resealSuspensions(
    db: DatabaseTransaction,
    accounts: readonly { id: string; email: string }[],
  ): Promise<void>;
}

/**
 * Assigns every account its mailbox key if the mailbox rules have changed since the last start, or if an earlier version has
 * changed the server key but not the mailbox keys.
 */
export async function alignMailboxKeys({
  db,
  commits,
  rules: { tags, dots, domainAliases },
  mailboxes,
  timesKey,
  keyCheck,
  resealSuspensions,
}: Dependencies): Promise<void> {
  const aliases = [...domainAliases].map(([alias, domain]) => `, ${alias} is ${domain}`);
  const rules = `tags ${tags}, dots ${dots}${aliases.join('')}`;
  const hasSameRules = (await findMetadata(db, metadataName)) === rules;
  if (hasSameRules && (await findMetadata(db, setByKeyName)) === keyCheck) return;
  await commits.write(async (unitOfWork) => {
    await setMailboxKeys(unitOfWork.db, mailboxes, timesKey, keyCheck);
    await resealSuspensions(unitOfWork.db, await listAddresses(unitOfWork.db));
    await writeMetadata(unitOfWork.db, metadataName, rules);
  }, 'allAccounts');
}

/**
 * Assigns every account its mailbox key. If accounts share a mailbox, only one of them gets the key: a verified account before
 * others, and the oldest one.
 *
 * @param timesKey null if the key is lost
 * @param keyCheck identifies the server key
 */
export async function setMailboxKeys(
  db: DatabaseTransaction,
  { toKey }: Pick<Mailboxes, 'toKey'>,
  timesKey: KeyObject | null,
  keyCheck: string,
): Promise<void> {
  await writeMetadata(db, setByKeyName, keyCheck);
  await clearMailboxKeys(db);
  const takenKeys = new Set<string>();
  for (const { id, email } of await listByAge(db, timesKey)) {
    const key = toKey(email);
    if (takenKeys.has(key)) continue;
    takenKeys.add(key);
    await setMailboxKey(db, id, key);
  }
}
