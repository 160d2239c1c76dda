import type { DatabaseTransaction } from '#server/store/tables.ts';
import type { AccountRecord, AccountRecords } from './account-records.ts';
import { findMetadata, writeMetadata } from '#server/store/server-metadata-queries.ts';
import type { ServerCore } from './server-core.ts';

const metadataName = 'mailboxRules';

const setByKeyName = 'mailboxKeysSetBy';

/** Adapts the suspensions, which find accounts by their mailboxes, too. */
export type ResealSuspensions = (
  db: DatabaseTransaction,
  accounts: readonly { id: string; email: string }[],
) => Promise<void>;

/**
 * Assigns every account its mailbox key if the mailbox rules have changed since the last start, or if an earlier version has
 * changed the server key but not the mailbox keys.
 */
export async function alignMailboxKeys(
  server: Pick<ServerCore, 'config' | 'db' | 'accountCommits' | 'accountRecords' | 'keyCheck'>,
  resealSuspensions: ResealSuspensions,
): Promise<void> {
  const { config, db, accountCommits, accountRecords, keyCheck } = server;
  const aliases = [...config.domainAliases].map(([alias, domain]) => `, ${alias} is ${domain}`);
  // The words of 0.3.0, which had settings for tags and dots.
  const rules = `tags ignored, dots distinct${aliases.join('')}`;
  const hasSameRules = (await findMetadata(db, metadataName)) === rules;
  if (hasSameRules && (await findMetadata(db, setByKeyName)) === keyCheck) return;
  await accountCommits.write(async (unitOfWork) => {
    const accounts = await Array.fromAsync(accountRecords.listAll(unitOfWork.db));
    await setMailboxKeys(unitOfWork.db, accountRecords, accounts.flat(), keyCheck);
    await resealSuspensions(unitOfWork.db, accounts.flat());
    await writeMetadata(unitOfWork.db, metadataName, rules);
  }, 'allAccounts');
}

/**
 * Assigns every account its mailbox key. If accounts share a mailbox, only one of them gets the key: a verified account before
 * others, and the oldest one.
 *
 * @param keyCheck identifies the server key
 */
export async function setMailboxKeys(
  db: DatabaseTransaction,
  { toMailboxKey }: Pick<AccountRecords, 'toMailboxKey'>,
  accounts: readonly AccountRecord[],
  keyCheck: string,
): Promise<void> {
  await writeMetadata(db, setByKeyName, keyCheck);
  await db.updateTable('accounts').set({ mailboxKey: null }).execute();
  const takenKeys = new Set<string>();
  const byAge = accounts.toSorted(
    (a, b) => Number(b.emailVerified) - Number(a.emailVerified) || a.createdDay - b.createdDay,
  );
  for (const { id, email } of byAge) {
    const mailboxKey = toMailboxKey(email);
    if (takenKeys.has(mailboxKey)) continue;
    takenKeys.add(mailboxKey);
    await db.updateTable('accounts').set({ mailboxKey }).where('id', '=', id).execute();
  }
}
