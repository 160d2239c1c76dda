import type { CommitQueue } from '../../storage/commit-queue.ts';
import type { Database } from '../../storage/database.ts';
import { readMetadata, deleteMetadata } from '../../storage/queries/facts.ts';
import {
  clearSearchIndexQueue,
  hostedIndexMetadataName,
} from '../../storage/queries/search-index-queue.ts';

/** Stops queueing changes for a hosted index that this server no longer updates. */
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
