// The server's own clock for what is erased: at the start, and every hour.
import { eraseDeletedClasses } from './domain/deleted-classes.ts';
import type { Log } from './log.ts';
import type { CommitQueue } from './storage/commit-queue.ts';
import type { Database } from './storage/database.ts';

/** A day of the calendar ends within it; pictures that were still there are gone by the next time. */
const everyMs = 60 * 60_000;

/** @returns how to stop */
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
