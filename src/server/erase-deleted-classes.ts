// Erases expired deleted classes at startup and every hour.
import { eraseDeletedClasses } from './domain/deleted-classes.ts';
import type { Log } from './log.ts';
import type { CommitQueue } from './storage/commit-queue.ts';
import type { Database } from './storage/database.ts';

/** Classes expire by calendar day. If a class still has pictures, the next run deletes its row. */
const everyMs = 60 * 60_000;

/** @returns a function that stops the timer */
export function startErasing(db: Database, commits: CommitQueue, log: Log): () => Promise<void> {
  const stopping = new AbortController();
  let running: Promise<void> | null = null;

  function run(): void {
    running ??= eraseDeletedClasses(db, commits, stopping.signal)
      .catch((error: unknown) => log.warn('erase.failed', { error }))
      .finally(() => {
        running = null;
      });
  }

  run();
  const timer = setInterval(run, everyMs);
  return async () => {
    stopping.abort();
    clearInterval(timer);
    await running;
  };
}
