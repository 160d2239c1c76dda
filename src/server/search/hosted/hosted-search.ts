// Runs a hosted index next to the database: the server writes to it and browsers query it directly.
import type { HostedSearch } from '../../config.ts';
import type { Log } from '../../log.ts';
import type { CommitQueue } from '../../storage/commit-queue.ts';
import type { Database } from '../../storage/database.ts';
import { readMetadata, writeMetadata } from '../../storage/queries/facts.ts';
import {
  hostedIndexMetadataName,
  enqueueAllClasses,
} from '../../storage/queries/search-index-queue.ts';
import { createHostedIndex } from './hosted-index.ts';
import { startIndexWriter } from './index-writer.ts';

interface Parts {
  db: Database;
  commits: CommitQueue;
  epoch: string;
  log: Log;
}

/** Queues every change from now on. If the application or the database history is new, queues all classes. */
export async function openHostedSearch(hosted: HostedSearch, { db, commits, epoch, log }: Parts) {
  const { applicationId } = hosted;
  const followed = `${applicationId} ${epoch}`;
  await commits.write(async (write) => {
    if ((await readMetadata(write.db, hostedIndexMetadataName)) === followed) return;
    await writeMetadata(write.db, hostedIndexMetadataName, followed);
    await enqueueAllClasses(write.db);
  });
  const index = createHostedIndex(hosted);
  const stop = startIndexWriter({ db, commits, index, log, applicationId });
  return { stop, access: () => ({ applicationId, key: index.createBrowserKey() }) };
}
