// A hosted index beside the database: what it has to be told, and what browsers need to ask it.
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

/** Every change from here on is told. To an application that is new to this database, or to its history, all is. */
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
