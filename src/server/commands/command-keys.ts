// The server's keys for a command that runs next to a server.
import { AppError } from '#contract/errors.ts';
import { BlockedAddresses } from '#server/accounts/blocked-addresses.ts';
import { createMailboxes } from '#server/accounts/mailboxes.ts';
import { computeKeyCheck, loadServerKeys } from '#server/base/server-keys.ts';
import type { Config } from '#server/config/config-types.ts';
import { checkDatabaseExists } from '#server/store/open-database.ts';
import { findMetadata } from '#server/store/server-metadata-queries.ts';
import type { Database } from '#server/store/tables.ts';

/** What the hashes of accounts and the queue of mails need. */
export function loadCommandKeys(config: Config) {
  // In a wrong folder the key is missing too, and its message would advise to replace the key.
  checkDatabaseExists(config.database);
  const keys = loadServerKeys(config.secretKey, config.keyDir);
  const mailboxes = createMailboxes(config.mailboxes, keys.mailboxes);
  const { toKey: toMailboxKey } = mailboxes;
  return {
    blockedAddresses: new BlockedAddresses({ keys: keys.blockedAddresses, mailboxes }),
    suspendedAccountKeys: { ...keys.suspensions, toMailboxKey },
    mailKey: keys.mails,
    server: keys,
    toAddress: (email: string) => ({ email, mailboxKey: toMailboxKey(email) }),
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
