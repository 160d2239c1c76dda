// Runs a hosted index next to the database: the server writes to it and browsers query it directly.
import type { HostedSearch } from '#server/config/config-types.ts';
import {
  listQueuedClasses,
  openSearchIndexQueue,
} from '#server/chat/classes/search-index-queue-queries.ts';
import type { Server } from '#server/feature.ts';
import { createHostedIndex } from './hosted-index.ts';
import { startIndexWriter } from './index-writer.ts';

/** Queues every change from now on. If the application or the database history is new, queues all classes. */
export async function openHostedSearch(
  hosted: HostedSearch,
  { db, commits, epoch, lease, log }: Pick<Server, 'db' | 'commits' | 'epoch' | 'lease' | 'log'>,
) {
  const index = createHostedIndex(hosted);
  const { applicationId, browserHosts } = index;
  const indexId = `${applicationId} ${epoch}`;
  await commits.write((unitOfWork) => openSearchIndexQueue(unitOfWork.db, indexId), 'everything');
  const stop = startIndexWriter(index, { db, commits, lease, log });
  return {
    stop,
    browserHosts,
    access: () => ({ applicationId, key: index.createBrowserKey() }),
    /** The number of changes that wait, counted up to a limit. */
    countWaiting: async (limit: number) => (await listQueuedClasses(db, limit)).length,
  };
}
