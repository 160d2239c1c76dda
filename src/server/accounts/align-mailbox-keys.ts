import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import { clearMailboxKeys, listAddresses, setMailboxKey } from '../storage/queries/accounts.ts';
import { readMetadata, writeMetadata } from '../storage/queries/server-metadata.ts';
import type { Mailboxes, MailboxRules } from './mailboxes.ts';

const metadataName = 'mailboxRules';

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
  if ((await readMetadata(db, metadataName)) === rules) return;
  await commits.write(async (unitOfWork) => {
    await clearMailboxKeys(unitOfWork.db);
    const taken = new Set<string>();
    for (const { id, email } of await listAddresses(unitOfWork.db)) {
      const key = mailboxes.keyOf(email);
      if (taken.has(key)) continue;
      taken.add(key);
      await setMailboxKey(unitOfWork.db, id, key);
    }
    await writeMetadata(unitOfWork.db, metadataName, rules);
  });
}
