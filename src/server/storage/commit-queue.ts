// Group commit: changes that wait while a transaction is in flight go together in the next one.
import { channel } from 'node:diagnostics_channel';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Class } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { LogItem } from '#contract/socket.ts';
import type { Log } from '../log.ts';
import { retryTime } from '../retry-time.ts';
import type { Tables, DatabaseTransaction } from './database.ts';
import { runApart, runTogether, type Outcomes, type RunChanges } from './run-changes.ts';
import { isConnectionLost, isStorageError, isTransient } from './storage-errors.ts';
import { createUnknownOutcomes, type PublishMissed } from './unknown-outcomes.ts';

/** What a change writes with. It may run again from its start, so it keeps nothing outside. */
export interface UnitOfWork {
  db: DatabaseTransaction;
  /** Tells the class's subscribers after the commit; a change that is not committed tells nobody. */
  publish(classId: string, item: LogItem): void;
  /** Says what the change made of a class, for the search; null where it is gone. */
  classChanged(classId: string, now: Class | null): void;
  /** The change takes away what somebody wrote: it must not stay in the database's files. */
  erases(): void;
}

export type Change<Result> = (write: UnitOfWork) => Promise<Result>;

export interface CommitQueue {
  /**
   * Resolves after the commit, never before.
   *
   * @throws {AppError} the change's own; UNAVAILABLE when nothing could be saved
   */
  write<Result>(change: Change<Result>): Promise<Result>;
  /** Resolves when nothing waits or is in flight. */
  drain(): Promise<void>;
  health(): QueueHealth;
}

export interface QueueHealth {
  /** Nothing has been saved since a commit failed. */
  failing: boolean;
  /** When the last commit succeeded, by `performance.now()`. */
  savedAt: number;
}

/** One class's items of one commit, in the order of its log. */
export type OnCommit = (classId: string, items: LogItem[]) => void;

/** Told before anybody in the commit is answered, in the order of the commits. */
export interface ClassChangeListener {
  classesChanged(classes: ReadonlyMap<string, Class | null>): void;
  /** They were changed, or not: the commit's end was not heard of. */
  classesInDoubt(classIds: Iterable<string>): void;
}

interface Waiting {
  change: Change<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

const maxBatch = 256;
const attempts = 10;
const waitMs = 50;
const resolveRetryMs = 250;

/** Where a commit is, for whoever watches this process from within: fault tests end it at each. */
const moments = channel('backchannel.commit');
function at(moment: 'written' | 'committed' | 'told' | 'acknowledged'): void {
  if (moments.hasSubscribers) moments.publish({ moment });
}

/**
 * @param onErased told after a commit that took something away for good
 * @param publishMissed publishes what a commit whose answer was lost may have added to a class's log
 */
export function createCommitQueue(
  db: Kysely<Tables>,
  onCommit: OnCommit,
  log: Log,
  onErased: () => void = () => {},
  search: ClassChangeListener | null = null,
  publishMissed: PublishMissed = async () => {},
): CommitQueue {
  let waiting: Waiting[] = [];
  let running: Promise<void> | null = null;
  /** Since when nothing could be saved; null while all is well. */
  let failingSince: number | null = null;
  let savedAt = -Infinity;
  let draining = false;
  let retryTimer: NodeJS.Timeout | null = null;
  const unknown = createUnknownOutcomes(db, log, publishMissed, search);

  function resolveUnknown(): void {
    retryTimer = null;
    running ??= run();
  }

  async function run(): Promise<void> {
    // What this turn of the event loop still brings goes into the same commit.
    await setImmediate();
    while (waiting.length > 0 || unknown.has()) {
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(batch.length);
      // What a later commit publishes must not overtake what an earlier one left unpublished.
      const unresolved = await unknown.resolve();
      if (unresolved) {
        refuseAll(batch, unresolved.error);
        break;
      }
      await commit(batch);
    }
    running = null;
    if (unknown.has() && !draining) retryTimer ??= setTimeout(resolveUnknown, resolveRetryMs);
  }

  /** Savepoints cost time, so they are used only after a change failed and took the others with it. */
  async function commit(batch: Waiting[]): Promise<void> {
    if (batch.length === 0) return;
    let failure = await attempt(batch, runTogether);
    const alone = batch.length === 1 && failure?.error instanceof AppError;
    if (failure && !alone && !isStorageError(failure.error)) {
      failure = await attempt(batch, runApart);
    }
    if (failure && isConnectionLost(failure.error)) refuseAll(batch, failure.error);
    else if (failure) refuse(batch, failure.error);
  }

  /** Those that wait would only wait for the same answer again. */
  function refuseAll(batch: readonly Waiting[], error: unknown): void {
    const others = waiting;
    waiting = [];
    refuse([...batch, ...others], error);
  }

  /** Tries for half a second if the reason may pass. @returns why nothing was committed, or null */
  async function attempt(
    batch: Waiting[],
    runChanges: RunChanges,
  ): Promise<{ error: unknown } | null> {
    for (let tries = 1; ; tries++) {
      try {
        await tryCommit(batch, runChanges);
        return null;
      } catch (error) {
        if (!isTransient(error) || tries === attempts) return { error };
        await sleep(waitMs);
      }
    }
  }

  /** Nothing of the batch could be saved, or what it is refused for is its one change's own. */
  function refuse(batch: readonly Waiting[], error: unknown): void {
    if (batch.length === 0) return;
    if (!(error instanceof AppError)) failingSince ??= performance.now();
    const refusal = toAppError(error, batch.length);
    for (const one of batch) one.reject(refusal);
  }

  function toAppError(error: unknown, count: number): AppError {
    if (error instanceof AppError) return error;
    log.error('commit.failed', { error, count });
    return unavailable();
  }

  function unavailable(): AppError {
    const failingMs = performance.now() - (failingSince ?? performance.now());
    return new AppError('UNAVAILABLE', undefined, retryTime(failingMs));
  }

  /** Throws when nothing was committed; else everybody in the batch has an answer. */
  async function tryCommit(batch: Waiting[], runChanges: RunChanges): Promise<void> {
    let done: Outcomes | null = null;
    const changes = batch.map(({ change }) => change);
    try {
      await db.transaction().execute(async (transaction) => {
        const outcomes = await runChanges(transaction, changes);
        at('written');
        done = outcomes;
      });
    } catch (error) {
      // It may be committed or not: to run the changes again could make them twice.
      if (!done || !isConnectionLost(error)) throw error;
      unknown.add((done as Outcomes).effects);
      return refuse(batch, error);
    }
    const { effects, answers } = done as unknown as Outcomes;
    failingSince = null;
    savedAt = performance.now();
    at('committed');
    notifySearch(effects.classes);
    tell(effects.published);
    if (effects.erases) onErased();
    at('told');
    batch.forEach((one, i) => {
      const answer = answers[i];
      if (answer && 'error' in answer) one.reject(toAppError(answer.error, 1));
      else one.resolve(answer?.result);
    });
    at('acknowledged');
  }

  function notifySearch(classes: ReadonlyMap<string, Class | null>): void {
    try {
      search?.classesChanged(classes);
    } catch (error) {
      log.error('search.failed', { error });
      search?.classesInDoubt(classes.keys());
    }
  }

  /** What was committed stays so: whoever misses the news finds it in the log. */
  function tell(published: ReadonlyMap<string, LogItem[]>): void {
    for (const [classId, items] of published) {
      try {
        onCommit(classId, items);
      } catch (error) {
        log.error('publish.failed', { error });
      }
    }
  }

  return {
    write<Result>(change: Change<Result>) {
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ change, resolve, reject });
        running ??= run();
      });
    },
    async drain() {
      draining = true;
      if (retryTimer) clearTimeout(retryTimer);
      while (running) await running;
    },
    health: () => ({ failing: failingSince !== null, savedAt }),
  };
}
