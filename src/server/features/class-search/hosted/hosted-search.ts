// Runs a hosted index next to the database: the server writes to it and browsers query it directly.
import type { HostedSearch } from '#server/config/config-types.ts';
import type { Log } from '#server/base/log.ts';
import type { BackgroundLease } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import {
  listQueuedClasses,
  openSearchIndexQueue,
} from '#server/chat/classes/search-index-queue-queries.ts';
import { createHostedIndex } from './hosted-index.ts';
import { startIndexWriter } from './index-writer.ts';

interface Dependencies {
  db: Database;
  commits: CommitQueue;
  epoch: string;
  lease: Pick<BackgroundLease, 'isHeld'>;
  log: Log;
}

/** Queues every change from now on. If the application or the database history is new, queues all classes. */
export async function openHostedSearch(hosted: HostedSearch, dependencies: Dependencies) {
  const { db, commits, epoch, lease, log } = dependencies;
  const index = createHostedIndex(hosted);
  const { applicationId, browserHosts } = index;
  const indexId = `${applicationId} ${epoch}`;
  await commits.write((unitOfWork) => openSearchIndexQueue(unitOfWork.db, indexId), 'everything');
  const stop = startIndexWriter({ db, commits, index, lease, log });
  return {
    stop,
    browserHosts,
    access: () => ({ applicationId, key: index.createBrowserKey() }),
    /** The number of changes that wait, counted up to a limit. */
    countWaiting: async (limit: number) => (await listQueuedClasses(db, limit)).length,
  };
}
