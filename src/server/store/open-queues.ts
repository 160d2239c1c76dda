// The two queues of commits.
import { GroupCommitQueue, type CommitQueue, type CommitQueueOptions } from './commit-queue.ts';

/** Opens a queue for each side of the database, because rows of one transaction would pair an account with a class. */
export function openQueues(
  cleanup: AsyncDisposableStack,
  options: Omit<CommitQueueOptions, 'side'>,
): { commits: CommitQueue; accountCommits: CommitQueue } {
  const commits = new GroupCommitQueue({ ...options, side: 'classes' });
  const accountCommits = new GroupCommitQueue({ ...options, side: 'accounts' });
  cleanup.defer(async () => {
    await Promise.all([commits.drain(), accountCommits.drain()]);
  });
  return { commits, accountCommits };
}
