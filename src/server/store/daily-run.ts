// Seals all encrypted rows again, once a day, in random order. So every row changes between two daily copies of the database, and a
// changed row does not tell that its account was used on that day. What has to look at all accounts does so in the same run.
import { setTimeout as sleep } from 'node:timers/promises';
import { getToday } from '#server/base/days.ts';
import type { Log } from '#server/base/log.ts';
import { startRepeating } from '#server/base/start-repeating.ts';
import { createStopSign, type BackgroundLease, type StopSign } from './background-lease.ts';
import type { UnitOfWork } from './changes.ts';
import type { CommitQueue } from './commit-queue.ts';
import { findMetadata, writeMetadata } from './server-metadata-queries.ts';
import type { Database } from './tables.ts';

export interface SealedTable {
  /** The queue of the table's side. */
  commits: CommitQueue;
  /**
   * Seals some of the rows that follow a key again and deletes what has ended, in one commit. It also does what `visitAfter` does.
   *
   * @returns the key of the last row; null if there are no more rows
   */
  resealAfter(unitOfWork: UnitOfWork, lastKey: string): Promise<string | null>;
  /** Shows some of the rows that follow a key to the visitors of the table, if it has any, and returns as `resealAfter` does. */
  visitAfter?(lastKey: string): Promise<string | null>;
}

interface Dependencies {
  db: Database;
  commits: CommitQueue;
  tables: readonly SealedTable[];
  /** Called in the run's last commit. */
  onFinished(unitOfWork: UnitOfWork): Promise<void>;
  /** What runs each hour, after the visitors have seen all rows on this day. */
  hourlyTasks: readonly ((stopping: StopSign) => Promise<void>)[];
  lease: Pick<BackgroundLease, 'isHeld'>;
  log: Log;
}

const metadataName = 'accountsResealedOn';
const intervalMs = 60 * 60_000;
/** Limits the work to a third of the time. */
const pauseFactor = 2;

/** @returns a function that stops the run, and resolves when nothing is written any more */
export function startDailyRun(dependencies: Dependencies): () => Promise<void> {
  const { db, commits, tables, onFinished, hourlyTasks, lease, log } = dependencies;
  const abort = new AbortController();
  const stopping = createStopSign(lease, abort.signal);
  /** The day on which the visitors of this server last saw all rows. */
  let visitedDay = -1;

  async function run(): Promise<void> {
    const day = getToday();
    const isResealed = (await findMetadata(db, metadataName)) === String(day);
    if (isResealed && visitedDay === day) return;
    for (const table of tables) {
      const reseal = (lastKey: string) =>
        table.commits.write((unitOfWork) => table.resealAfter(unitOfWork, lastKey), 'allAccounts');
      const step = isResealed ? table.visitAfter : reseal;
      if (step) await runSteps(step, stopping);
    }
    if (stopping.aborted) return;
    visitedDay = day;
    if (isResealed) return;
    await commits.write(async (unitOfWork) => {
      await onFinished(unitOfWork);
      await writeMetadata(unitOfWork.db, metadataName, String(day));
    }, 'independent');
  }

  const stop = startRepeating(async () => {
    if (stopping.aborted) return;
    await run().catch((error: unknown) => log.warn('reseal.failed', { error }));
    if (stopping.aborted || visitedDay !== getToday()) return;
    for (const runTask of hourlyTasks) {
      await runTask(stopping).catch((error: unknown) => log.warn('removal.failed', { error }));
    }
  }, intervalMs);
  return async () => {
    abort.abort();
    await stop();
  };
}

async function runSteps(
  step: (lastKey: string) => Promise<string | null>,
  stopping: StopSign,
): Promise<void> {
  for (let lastKey: string | null = ''; lastKey !== null && !stopping.aborted;) {
    const startedAt = performance.now();
    lastKey = await step(lastKey);
    await sleep((performance.now() - startedAt) * pauseFactor);
  }
}
