import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import { clearMailboxKeys, listAddresses, setMailboxKey } from '../storage/queries/accounts.ts';
import { readMetadata, writeMetadata } from '../storage/queries/facts.ts';
import type { Mailboxes, MailboxRules } from './mailboxes.ts';

const factName = 'mailboxRules';

/**
 * If the mailbox rules have changed since the last start, assigns every account its new mailbox key. If
 * accounts share a mailbox, one of them gets the key (a verified one first) and the others have none.
 */
export async function alignMailboxKeys(
  db: Database,
  commits: CommitQueue,
  { tags, dots }: MailboxRules,
  mailboxes: Mailboxes,
): Promise<void> {
  const rules = `tags ${tags}, dots ${dots}`;
  if ((await readMetadata(db, factName)) === rules) return;
  await commits.write(async (write) => {
    await clearMailboxKeys(write.db);
    const taken = new Set<string>();
    for (const { id, email } of await listAddresses(write.db)) {
      const key = mailboxes.keyOf(email);
      if (taken.has(key)) continue;
      taken.add(key);
      await setMailboxKey(write.db, id, key);
    }
    await writeMetadata(write.db, factName, rules);
  });
}
