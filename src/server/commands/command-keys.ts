// The server's keys for a command that runs next to a server.
import { AppError } from '#contract/errors.ts';
import { createMailboxes } from '#server/accounts/mailboxes.ts';
import { keyCheckValue, loadServerKeys } from '#server/base/server-keys.ts';
import type { Config } from '#server/config/config-types.ts';
import { readMetadata } from '#server/store/server-metadata-queries.ts';
import type { Database } from '#server/store/tables.ts';

/** What the hashes of accounts and the queue of mails need. */
export function loadCommandKeys(config: Config) {
  const keys = loadServerKeys(config.secretKey, config.dataDir);
  const { keyOf: mailboxKeyOf } = createMailboxes(config.mailboxes, keys.mailboxes);
  return {
    suspendedAccountKeys: { ...keys.suspensions, mailboxKeyOf },
    mailKey: keys.mails,
    server: keys,
    addressOf: (email: string) => ({ email, mailboxKey: mailboxKeyOf(email) }),
    /** With another key, no one could sign in with the new address or read the mails. */
    async check(db: Database): Promise<void> {
      if ((await readMetadata(db, 'keyCheck')) === keyCheckValue(keys)) return;
      throw new AppError(
        'INVALID',
        'this database belongs to another server key. Set SECRET_KEY, or DATA_DIR, as for the server.',
      );
    },
  };
}
