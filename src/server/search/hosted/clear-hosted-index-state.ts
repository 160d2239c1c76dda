import type { CommitQueue } from '../../storage/commit-queue.ts';
import type { Database } from '../../storage/database.ts';
import { readMetadata, deleteMetadata } from '../../storage/queries/facts.ts';
import {
  clearSearchIndexQueue,
  hostedIndexMetadataName,
} from '../../storage/queries/search-index-queue.ts';

/** Nothing is entered any more for an index that this server does not tell. */
export async function clearHostedIndexState({
  db,
  commits,
}: {
  db: Database;
  commits: CommitQueue;
}) {
  if ((await readMetadata(db, hostedIndexMetadataName)) === null) return;
  await commits.write(async (write) => {
    await deleteMetadata(write.db, hostedIndexMetadataName);
    await clearSearchIndexQueue(write.db);
  });
}
