import type { CommitQueue } from '../../storage/commit-queue.ts';
import type { Reader } from '../../storage/database.ts';
import { readFact, removeFact } from '../../storage/queries/facts.ts';
import { forgetSearchDue, hostedIndexFact } from '../../storage/queries/search-due.ts';

/** Nothing is entered any more for an index that this server does not tell. */
export async function stopTellingIndex({ db, commits }: { db: Reader; commits: CommitQueue }) {
  if ((await readFact(db, hostedIndexFact)) === null) return;
  await commits.write(async (write) => {
    await removeFact(write.db, hostedIndexFact);
    await forgetSearchDue(write.db);
  });
}
