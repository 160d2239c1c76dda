// Group commit: changes that arrive during a transaction share the next one.
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

/** A change may run again from the start, so it must have no side effects outside its unit of work. */
export interface UnitOfWork {
  db: DatabaseTransaction;
  /**
   * Publishes to the class's subscribers after the commit. If the change is not committed, nothing is
   * published.
   */
  publish(classId: string, item: LogItem): void;
  /** Reports the changed class to the search index; null if the class is gone. */
  classChanged(classId: string, now: Class | null): void;
  /** Marks a change that erases content, which must then leave the database's files. */
  erases(): void;
}

export type Change<Result> = (write: UnitOfWork) => Promise<Result>;

export interface CommitQueue {
  /**
   * Resolves after the commit.
   *
   * @throws {AppError} the change's own error, or UNAVAILABLE if nothing could be saved
   */
  write<Result>(change: Change<Result>): Promise<Result>;
  /** Resolves when no change waits or is in flight. */
  drain(): Promise<void>;
  health(): QueueHealth;
}

export interface QueueHealth {
  /** A commit failed, and none has succeeded since. */
  failing: boolean;
  /** When the last commit succeeded, by `performance.now()`. */
  savedAt: number;
}

/** Receives the items of one class in one commit, in log order. */
export type OnCommit = (classId: string, items: LogItem[]) => void;

/** Called in commit order, before the callers get their results. */
export interface ClassChangeListener {
  classesChanged(classes: ReadonlyMap<string, Class | null>): void;
  /** The outcome of the commit is unknown, so these classes may have changed. */
  outcomeUnknown(classIds: Iterable<string>): void;
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

/** Publishes the stages of a commit, at which fault tests kill the process. */
const moments = channel('backchannel.commit');
function at(moment: 'written' | 'committed' | 'told' | 'acknowledged'): void {
  if (moments.hasSubscribers) moments.publish({ moment });
}

/**
 * @param onErased called after a commit that erased content
 * @param publishMissed publishes the log entries that a commit with an unknown outcome may have added
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
  /** When writes began to fail; null if they succeed. */
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
    // Collects the changes of this event loop turn into one commit.
    await setImmediate();
    while (waiting.length > 0 || unknown.has()) {
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(batch.length);
      // A later commit must not publish before the entries of an earlier one with an unknown outcome.
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

  /** Savepoints are slow, so they are used only if a change failed and rolled back the others. */
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

  /** Waiting changes would fail in the same way. */
  function refuseAll(batch: readonly Waiting[], error: unknown): void {
    const others = waiting;
    waiting = [];
    refuse([...batch, ...others], error);
  }

  /**
   * Retries for half a second if the error is transient.
   *
   * @returns the error if nothing was committed, or null
   */
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

  /** Nothing of the batch could be saved, or its only change threw an AppError. */
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

  /** Throws if nothing was committed. Otherwise every change in the batch is settled. */
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
      // The outcome is unknown. Running the changes again could apply them twice.
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
      search?.outcomeUnknown(classes.keys());
    }
  }

  /** A failure here cannot undo the commit. Subscribers that miss an item find it in the log. */
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
