// The two queues of commits.
import { GroupCommitQueue, type CommitQueue, type CommitQueueOptions } from './commit-queue.ts';

/**
 * Opens one queue for accounts and one for all other changes. Otherwise an account and a persona could be linked by rows of one
 * transaction.
 */
export function openQueues(
  cleanup: AsyncDisposableStack,
  options: CommitQueueOptions,
): { commits: CommitQueue; accountCommits: CommitQueue } {
  const commits = new GroupCommitQueue(options);
  const accountCommits = new GroupCommitQueue(options);
  cleanup.defer(async () => {
    await Promise.all([commits.drain(), accountCommits.drain()]);
  });
  return { commits, accountCommits };
}
