// Seals all encrypted rows again, once a day, in random order. So every row changes between two daily copies of the database, and a
// changed row does not tell that its account was used on that day.
import { setTimeout as sleep } from 'node:timers/promises';
import { getToday } from '#server/base/days.ts';
import type { Log } from '#server/base/log.ts';
import { startRepeating } from '#server/base/start-repeating.ts';
import type { BackgroundLease } from './background-lease.ts';
import type { UnitOfWork } from './changes.ts';
import type { CommitQueue } from './commit-queue.ts';
import { findMetadata, writeMetadata } from './server-metadata-queries.ts';
import type { Database } from './tables.ts';

export interface SealedTable {
  /** The queue of the table's side. */
  commits: CommitQueue;
  /**
   * Seals some rows again and deletes what has ended, in one commit.
   *
   * @param lastKey the rows follow this key
   * @returns the key of the last row; null if there are no more rows
   */
  resealAfter(unitOfWork: UnitOfWork, lastKey: string): Promise<string | null>;
}

interface Dependencies {
  db: Database;
  commits: CommitQueue;
  tables: readonly SealedTable[];
  /** Called in the run's last commit. */
  onFinished(unitOfWork: UnitOfWork): Promise<void>;
  lease: Pick<BackgroundLease, 'isHeld'>;
  log: Log;
}

const metadataName = 'accountsResealedOn';
const intervalMs = 10 * 60_000;
/** Limits the work to a third of the time. */
const pauseFactor = 2;

/** @returns a function that stops the run, and resolves when nothing is written any more */
export function startDailyRun(dependencies: Dependencies): () => Promise<void> {
  const { lease, log } = dependencies;
  const stopping = new AbortController();
  const stop = startRepeating(async () => {
    if (!lease.isHeld()) return;
    try {
      await runDaily(dependencies, stopping.signal);
    } catch (error) {
      log.warn('reseal.failed', { error });
    }
  }, intervalMs);
  return async () => {
    stopping.abort();
    await stop();
  };
}

async function runDaily(
  { db, commits, tables, onFinished }: Dependencies,
  stopping: AbortSignal,
): Promise<void> {
  const day = String(getToday());
  if ((await findMetadata(db, metadataName)) === day) return;
  for (const table of tables) {
    for (let lastKey: string | null = ''; lastKey !== null;) {
      if (stopping.aborted) return;
      const startedAt = performance.now();
      const previousKey: string = lastKey;
      lastKey = await table.commits.write(
        (unitOfWork) => table.resealAfter(unitOfWork, previousKey),
        'allAccounts',
      );
      await sleep((performance.now() - startedAt) * pauseFactor);
    }
  }
  await commits.write(async (unitOfWork) => {
    await onFinished(unitOfWork);
    await writeMetadata(unitOfWork.db, metadataName, day);
  }, 'independent');
}
