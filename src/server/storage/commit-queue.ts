// Group commit: changes that arrive during a transaction share the next one.
import { channel } from 'node:diagnostics_channel';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Class } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { LogItem } from '#contract/socket.ts';
import type { Log } from '../log.ts';
import type { LockCommit } from '../nodes/commit-locks.ts';
import type { WorkCounter } from '../metrics/metrics.ts';
import { retryTime } from '../retry-time.ts';
import type { Tables } from './database.ts';
import {
  runWithSavepoints,
  runWithoutSavepoints,
  type BatchOutcome,
  type RunChanges,
} from './run-changes.ts';
import { isConnectionLost, isStorageError, isTransient } from './storage-errors.ts';
import type { Change, ClassChangeListener } from './unit-of-work.ts';
import { createUnknownOutcomes, type PublishMissed } from './unknown-outcomes.ts';

export interface CommitQueue {
  /**
   * Resolves after the commit.
   *
   * @param classId the class that the change belongs to, if it reads and writes nothing outside it that must not change
   *   meanwhile. Of several nodes, only one commits to a class at a time. Without it, only one commits at all.
   * @throws {AppError} the change's own error, or UNAVAILABLE if nothing could be saved
   */
  write<Result>(change: Change<Result>, classId?: string | null): Promise<Result>;
  /** Resolves when no change waits or is in flight. */
  drain(): Promise<void>;
  health(): QueueHealth;
}

export interface QueueHealth {
  /** A commit failed, and none has succeeded since. */
  isFailing: boolean;
  /** When the last commit succeeded, by `performance.now()`. */
  lastCommitAt: number;
}

/** Receives the items of one class in one commit, in log order. */
export type OnCommit = (classId: string, items: LogItem[]) => void;

export interface CommitQueueOptions {
  db: Kysely<Tables>;
  log: Log;
  onCommit?: OnCommit;
  /** Called after a commit that erased content. */
  onErased?: () => void;
  search?: ClassChangeListener | null;
  /** Publishes the log entries that a commit with an unknown outcome may have added. */
  publishMissed?: PublishMissed;
  metrics?: Pick<WorkCounter, 'count' | 'observe'>;
  /** Of several nodes. */
  lock?: LockCommit | null;
}

interface PendingChange {
  classId: string | null;
  change: Change<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

const maxBatchSize = 256;
const maxAttempts = 10;
const attemptDelayMs = 50;
const resolveRetryDelayMs = 250;

/** Fault tests kill the process at one of these stages of a commit. */
const commitStages = channel('backchannel.commit');
function reportStage(stage: 'written' | 'committed' | 'published' | 'acknowledged'): void {
  if (commitStages.hasSubscribers) commitStages.publish({ stage });
}

export function createCommitQueue({
  db,
  log,
  onCommit = () => {},
  onErased = () => {},
  search = null,
  publishMissed = async () => {},
  metrics,
  lock = null,
}: CommitQueueOptions): CommitQueue {
  let pending: PendingChange[] = [];
  let running: Promise<void> | null = null;
  /** When writes began to fail; null if they succeed. */
  let failingSince: number | null = null;
  let lastCommitAt = -Infinity;
  let isDraining = false;
  let retryTimer: NodeJS.Timeout | null = null;
  const unknownOutcomes = createUnknownOutcomes(db, log, publishMissed, search);

  function resolveUnknown(): void {
    retryTimer = null;
    running ??= run();
  }

  async function run(): Promise<void> {
    // Collects the changes of this event loop turn into one commit.
    await setImmediate();
    while (pending.length > 0 || unknownOutcomes.has()) {
      const batch = pending.slice(0, maxBatchSize);
      pending = pending.slice(batch.length);
      // A later commit must not publish before the entries of an earlier one with an unknown outcome.
      const unresolved = await unknownOutcomes.resolve();
      if (unresolved) {
        rejectAll(batch, unresolved.error);
        break;
      }
      await commit(batch);
    }
    running = null;
    if (unknownOutcomes.has() && !isDraining) {
      retryTimer ??= setTimeout(resolveUnknown, resolveRetryDelayMs);
    }
  }

  /** Savepoints are slow, so they are used only if a change failed and rolled back the others. */
  async function commit(batch: PendingChange[]): Promise<void> {
    if (batch.length === 0) return;
    let failure = await attempt(batch, runWithoutSavepoints);
    const isOnlyChange = batch.length === 1 && failure?.error instanceof AppError;
    if (failure && !isOnlyChange && !isStorageError(failure.error)) {
      failure = await attempt(batch, runWithSavepoints);
    }
    if (failure && isConnectionLost(failure.error)) rejectAll(batch, failure.error);
    else if (failure) rejectBatch(batch, failure.error);
  }

  /** Also rejects the pending changes, which would fail in the same way. */
  function rejectAll(batch: readonly PendingChange[], error: unknown): void {
    const others = pending;
    pending = [];
    rejectBatch([...batch, ...others], error);
  }

  /**
   * Retries for half a second if the error is transient.
   *
   * @returns the error if nothing was committed, or null
   */
  async function attempt(
    batch: PendingChange[],
    runChanges: RunChanges,
  ): Promise<{ error: unknown } | null> {
    for (let tries = 1; ; tries++) {
      try {
        await tryCommit(batch, runChanges);
        return null;
      } catch (error) {
        if (!isTransient(error) || tries === maxAttempts) return { error };
        metrics?.count('commitProblems', 'retried');
        // Two nodes that repeat in step would meet again.
        await sleep(attemptDelayMs * (0.5 + Math.random()));
      }
    }
  }

  /** Nothing of the batch could be saved, or its only change threw an AppError. */
  function rejectBatch(batch: readonly PendingChange[], error: unknown): void {
    if (batch.length === 0) return;
    if (!(error instanceof AppError)) failingSince ??= performance.now();
    const appError = toAppError(error, batch.length);
    for (const each of batch) each.reject(appError);
  }

  function toAppError(error: unknown, count: number): AppError {
    if (error instanceof AppError) return error;
    log.error('commit.failed', { error, count });
    metrics?.count('commitProblems', 'failed');
    return unavailable();
  }

  function unavailable(): AppError {
    const failingMs = performance.now() - (failingSince ?? performance.now());
    return new AppError('UNAVAILABLE', undefined, retryTime(failingMs));
  }

  /** Throws if nothing was committed. Otherwise every change in the batch is settled. */
  async function tryCommit(batch: PendingChange[], runChanges: RunChanges): Promise<void> {
    let outcome: BatchOutcome | null = null;
    const startedAt = performance.now();
    const changes = batch.map(({ change }) => change);
    const classIds = batch.map(({ classId }) => classId);
    try {
      await db.transaction().execute(async (transaction) => {
        await lock?.(transaction, classIds);
        const finished = await runChanges(transaction, changes);
        reportStage('written');
        outcome = finished;
      });
    } catch (error) {
      // The outcome is unknown. Running the changes again could apply them twice.
      if (!outcome || !isConnectionLost(error)) throw error;
      unknownOutcomes.add((outcome as BatchOutcome).effects);
      return rejectBatch(batch, error);
    }
    const { effects, results } = outcome as unknown as BatchOutcome;
    failingSince = null;
    lastCommitAt = performance.now();
    metrics?.observe('batchSize', batch.length);
    metrics?.observe('commitSeconds', (lastCommitAt - startedAt) / 1000);
    reportStage('committed');
    notifySearch(effects.classes);
    publish(effects.published);
    if (effects.contentErased) onErased();
    reportStage('published');
    batch.forEach((each, i) => {
      const result = results[i];
      if (result && 'error' in result) each.reject(toAppError(result.error, 1));
      else each.resolve(result?.value);
    });
    reportStage('acknowledged');
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
  function publish(published: ReadonlyMap<string, LogItem[]>): void {
    for (const [classId, items] of published) {
      try {
        onCommit(classId, items);
      } catch (error) {
        log.error('publish.failed', { error });
      }
    }
  }

  return {
    write<Result>(change: Change<Result>, classId: string | null = null) {
      return new Promise<Result>((resolve, reject) => {
        pending.push({ classId, change, resolve, reject });
        running ??= run();
      });
    },
    async drain() {
      isDraining = true;
      if (retryTimer) clearTimeout(retryTimer);
      while (running) await running;
    },
    health: () => ({ isFailing: failingSince !== null, lastCommitAt }),
  };
}
