// The server's keys for a command that runs next to a server.
import { AppError } from '#contract/errors.ts';
import { AccountRecords } from '#server/accounts/account-records.ts';
import { BlockedAddresses } from '#server/accounts/blocked-addresses.ts';
import { createMailboxes } from '#server/accounts/mailboxes.ts';
import { SessionRecords } from '#server/accounts/session-records.ts';
import { computeKeyCheck, loadServerKeys } from '#server/base/server-keys.ts';
import type { Config } from '#server/config/config-types.ts';
import { checkDatabaseExists } from '#server/store/open-database.ts';
import { findMetadata } from '#server/store/server-metadata-queries.ts';
import type { Site } from '#server/store/site.ts';
import type { Database } from '#server/store/tables.ts';

export type CommandKeys = ReturnType<typeof loadCommandKeys>;

/** What the hashes of accounts and the queue of mails need. */
export function loadCommandKeys(config: Config) {
  // In a wrong folder the key is missing too, and its message would advise to replace the key.
  checkDatabaseExists(config.database);
  const keys = loadServerKeys(config.secretKey, config.keyDir);
  const mailboxes = createMailboxes(config.domainAliases, keys.mailboxes);
  const accountRecords = new AccountRecords(keys.accounts, mailboxes);
  const sessionRecords = new SessionRecords(keys.sessions, accountRecords);
  const site: Site = { keys, operators: config.operators, accountRecords };
  return {
    site,
    accountRecords,
    sessionRecords,
    blockedAddresses: new BlockedAddresses(
      keys.blockedAddresses,
      mailboxes,
      accountRecords,
      sessionRecords,
    ),
    suspendedAccountKeys: { ...keys.suspensions, toMailboxKey: mailboxes.toKey },
    mailKey: keys.mails,
    server: keys,
    /** Stops the command because, with another key, no one could sign in with the new address or read the mails. */
    async check(db: Database): Promise<void> {
      if ((await findMetadata(db, 'keyCheck')) === computeKeyCheck(keys)) return;
      throw new AppError(
        'INVALID',
        'this database belongs to another server key. Set SECRET_KEY, or DATA_DIR, as for the server.',
      );
    },
  };
}
