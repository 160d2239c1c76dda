// Group commit: changes that arrive during a transaction share the next one.
import { channel } from 'node:diagnostics_channel';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { Log } from '#server/base/log.ts';
import type { WorkCounter } from '#server/base/metrics.ts';
import { retryTime } from '#server/base/retry-time.ts';
import type { Scope } from './commit-locks.ts';
import type { Tables } from './tables.ts';
import { isConnectionLost, isStorageError, isTransient } from './storage-errors.ts';
import {
  isLockTimeout,
  LostCommitError,
  createPostgresTransactions,
  createSqliteTransactions,
  type TransactionId,
  type Transactions,
} from './transactions.ts';
import {
  BlockedChangeError,
  runWithSavepoints,
  runWithoutSavepoints,
  type BatchOutcome,
  type Change,
  type Effect,
} from './changes.ts';

export interface Commits {
  /**
   * Resolves after the commit and its effects.
   *
   * @param scope what no other commit may change before this one, on any server
   * @throws {AppError} the change's own error, or UNAVAILABLE if nothing could be saved
   */
  write<Result>(change: Change<Result>, scope: Scope): Promise<Result>;
}

export interface CommitQueue extends Commits {
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

export interface CommitQueueOptions {
  db: Kysely<Tables>;
  kind: 'sqlite' | 'postgres';
  log: Log;
  /**
   * Runs the effects of each commit, in commit order. It must not throw. The callers wait for its promise, later commits do not.
   */
  follow?: (effects: readonly Effect[]) => Promise<void> | undefined;
  /** Called after a commit whose outcome is unknown: what the server has in memory may be wrong. */
  onUnknown?: () => void;
  metrics?: Pick<WorkCounter, 'count' | 'observe'>;
}

interface PendingChange {
  scope: Scope;
  change: Change<unknown>;
  /** When another transaction was first found to hold the locks of the change, by `performance.now()`; null if none was. */
  blockedSince: number | null;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

const maxBatchSize = 256;
const maxAttempts = 10;
const attemptDelayMs = 50;
/** The time that callers wait while the outcome of their commit is unknown. */
const maxUnknownMs = 2_500;
const outcomeDelayMs = 100;
/** The time that other transactions may hold the locks of a change. */
const maxBlockedMs = 3_000;
const blockedDelayMs = 100;

/** Fault tests kill the process at one of these stages of a commit. */
const commitStages = channel('backchannel.commit');
function reportStage(stage: 'written' | 'committed' | 'published' | 'acknowledged'): void {
  if (commitStages.hasSubscribers) commitStages.publish({ stage });
}

type Outcome = 'committed' | 'aborted' | 'rejected' | 'unknown';

export class GroupCommitQueue implements CommitQueue {
  readonly #options: CommitQueueOptions;
  readonly #transactions: Transactions;
  #pending: PendingChange[] = [];
  #currentRun: Promise<void> | null = null;
  /** When writes began to fail; null if they succeed. */
  #failingSince: number | null = null;
  #lastCommitAt = -Infinity;
  #isDraining = false;
  /** Work that later commits do not wait for: the pauses of blocked changes, and the effects of commits. */
  readonly #unfinished = new Set<Promise<void>>();

  constructor(options: CommitQueueOptions) {
    this.#options = options;
    const create =
      options.kind === 'postgres' ? createPostgresTransactions : createSqliteTransactions;
    this.#transactions = create(options.db);
  }

  write<Result>(change: Change<Result>, scope: Scope): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ scope, change, blockedSince: null, resolve, reject });
      this.#currentRun ??= this.#run();
    });
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    while (this.#currentRun ?? this.#unfinished.size > 0) {
      await (this.#currentRun ?? Promise.race(this.#unfinished));
    }
  }

  health(): QueueHealth {
    return { isFailing: this.#failingSince !== null, lastCommitAt: this.#lastCommitAt };
  }

  async #run(): Promise<void> {
    // Collects the changes of this event loop turn into one commit.
    await setImmediate();
    while (this.#pending.length > 0) {
      const batch = this.#pending.slice(0, maxBatchSize);
      this.#pending = this.#pending.slice(batch.length);
      await this.#commit(batch);
    }
    this.#currentRun = null;
  }

  /**
   * Retries for half a second if the error is transient. Savepoints are slow, so the batch uses them only after a change has
   * failed and rolled back the others.
   */
  async #commit(batch: readonly PendingChange[]): Promise<void> {
    const changes = [...batch];
    let runChanges = runWithoutSavepoints;
    let canWait = true;
    for (let tries = 1; changes.length > 0;) {
      try {
        return await this.#tryCommit(changes, runChanges, canWait);
      } catch (error) {
        if (error instanceof BlockedChangeError) {
          const index = changes.findIndex(({ change }) => change === error.change);
          this.#pause(changes.splice(index, 1));
          canWait = false;
        } else if (canWait && isLockTimeout(error)) {
          canWait = false;
        } else if (
          (isTransient(error) || error instanceof LostCommitError) &&
          tries < maxAttempts
        ) {
          tries += 1;
          this.#options.metrics?.count('commitProblems', 'retried');
          // A random delay, because two nodes that retry at the same times would block each other again.
          await sleep(attemptDelayMs * (0.5 + Math.random()));
        } else if (isConnectionLost(error)) {
          return this.#rejectAll(changes, error);
        } else if (isStorageError(error) || runChanges === runWithSavepoints) {
          return this.#rejectBatch(changes, error);
        } else if (changes.length === 1 && error instanceof AppError) {
          return changes[0]?.reject(error);
        } else {
          runChanges = runWithSavepoints;
        }
      }
    }
  }

  /** Throws if nothing was committed. Otherwise every change in the batch is settled or waits for its locks. */
  async #tryCommit(
    batch: readonly PendingChange[],
    runChanges: typeof runWithoutSavepoints,
    canWait: boolean,
  ): Promise<void> {
    const startedAt = performance.now();
    const scopes = batch.map(({ scope }) => scope);
    let freeChanges: PendingChange[] = [];
    let outcome: BatchOutcome = { results: [], effects: [] };
    try {
      await this.#transactions.run(scopes, canWait, async (transaction, isFree) => {
        freeChanges = batch.filter((_, index) => isFree(index));
        const changes = freeChanges.map(({ change }) => change);
        outcome = await runChanges(transaction, changes);
        reportStage('written');
      });
    } catch (error) {
      if (!(error instanceof LostCommitError)) throw error;
      if (!(await this.#isLostCommitSaved(error, outcome.effects, freeChanges))) {
        return this.#pause(batch.filter((change) => !freeChanges.includes(change)));
      }
    }
    this.#succeed(startedAt, freeChanges, outcome);
    this.#pause(batch.filter((change) => !freeChanges.includes(change)));
  }

  #succeed(startedAt: number, changes: readonly PendingChange[], outcome: BatchOutcome): void {
    const { metrics, follow } = this.#options;
    this.#failingSince = null;
    this.#lastCommitAt = performance.now();
    metrics?.observe('batchSize', changes.length);
    metrics?.observe('commitSeconds', (this.#lastCommitAt - startedAt) / 1000);
    reportStage('committed');
    const effectsEnd = follow?.(outcome.effects);
    reportStage('published');
    if (effectsEnd) this.#track(effectsEnd.then(() => this.#settle(changes, outcome)));
    else this.#settle(changes, outcome);
  }

  #settle(changes: readonly PendingChange[], { results }: BatchOutcome): void {
    for (const [index, change] of changes.entries()) {
      const result = results[index];
      if (result && 'error' in result) change.reject(this.#toAppError(result.error, 1));
      else change.resolve(result?.value);
    }
    reportStage('acknowledged');
  }

  /** Runs the changes again later. Rejects those that have been blocked for too long. */
  #pause(changes: readonly PendingChange[]): void {
    const now = performance.now();
    for (const change of changes) change.blockedSince ??= now;
    const isTimeOver = ({ blockedSince }: PendingChange) =>
      now - (blockedSince ?? now) > maxBlockedMs;
    this.#rejectBlocked(changes.filter(isTimeOver));
    const pausedChanges = changes.filter((change) => !isTimeOver(change));
    if (pausedChanges.length === 0) return;
    this.#track(
      sleep(blockedDelayMs * (0.5 + Math.random())).then(() => {
        this.#pending.unshift(...pausedChanges);
        this.#currentRun ??= this.#run();
      }),
    );
  }

  #track(work: Promise<void>): void {
    const trackedWork = work.then(() => void this.#unfinished.delete(trackedWork));
    this.#unfinished.add(trackedWork);
  }

  /** Rejects changes without counting the server as failing, because other changes succeed. */
  #rejectBlocked(changes: readonly PendingChange[]): void {
    if (changes.length === 0) return;
    this.#options.metrics?.count('commitProblems', 'failed');
    this.#options.log.warn('commit.blocked', { count: changes.length });
    for (const { reject } of changes) reject(new AppError('UNAVAILABLE', undefined, retryTime(0)));
  }

  /** Rejects the batch and all pending changes, which would fail in the same way. */
  #rejectAll(batch: readonly PendingChange[], error: unknown): void {
    const laterChanges = this.#pending;
    this.#pending = [];
    this.#rejectBatch([...batch, ...laterChanges], error);
  }

  /** Rejects a batch of which nothing could be saved. */
  #rejectBatch(batch: readonly PendingChange[], error: unknown): void {
    if (batch.length === 0) return;
    this.#failingSince ??= performance.now();
    const appError = this.#toAppError(error, batch.length);
    for (const { reject } of batch) reject(appError);
  }

  #toAppError(error: unknown, count: number): AppError {
    if (error instanceof AppError) return error;
    this.#options.log.error('commit.failed', { error, count });
    this.#options.metrics?.count('commitProblems', 'failed');
    const failingMs = performance.now() - (this.#failingSince ?? performance.now());
    return new AppError('UNAVAILABLE', undefined, retryTime(failingMs));
  }

  /**
   * @returns false if the changes are already rejected, because the outcome was unknown for too long
   * @throws {LostCommitError} if nothing was committed
   */
  async #isLostCommitSaved(
    error: LostCommitError,
    effects: readonly Effect[],
    changes: readonly PendingChange[],
  ): Promise<boolean> {
    const outcome = await this.#awaitOutcome(error.transaction, effects, changes);
    if (outcome === 'aborted') throw error;
    if (outcome === 'unknown') {
      this.#options.onUnknown?.();
      this.#rejectBatch(changes, error);
    }
    return outcome === 'committed';
  }

  /**
   * Asks PostgreSQL for the outcome of a commit whose reply was lost, until it knows the outcome. Meanwhile the queue commits
   * nothing else, because a later commit would be published before this one. After some seconds the changes are rejected.
   */
  async #awaitOutcome(
    transaction: TransactionId,
    effects: readonly Effect[],
    changes: readonly PendingChange[],
  ): Promise<Outcome> {
    const startedAt = performance.now();
    let isRejected = false;
    for (;;) {
      let failure: unknown = new Error('The outcome of a commit is unknown.');
      try {
        const outcome = await this.#findOutcome(transaction, effects);
        if (outcome === 'aborted' && isRejected) return 'rejected';
        if (outcome !== 'in progress') return outcome;
      } catch (error) {
        failure = error;
      }
      if (performance.now() - startedAt > maxUnknownMs) {
        this.#rejectAll(isRejected ? [] : changes, failure);
        isRejected = true;
      }
      if (this.#isDraining && isRejected) return 'unknown';
      await sleep(outcomeDelayMs);
    }
  }

  /**
   * Looks for the first log entry of the commit. The random id of an entry tells whether its commit succeeded, also after a
   * failover, while PostgreSQL may use the number of a transaction again after a crash.
   */
  async #findOutcome(transaction: TransactionId, effects: readonly Effect[]) {
    const outcome = await this.#transactions.findOutcome(transaction);
    if (outcome === 'aborted' || outcome === 'in progress') return outcome;
    const firstEntry = effects.find((effect) => effect.kind === 'item');
    if (!firstEntry) return outcome;
    const { classId, item } = firstEntry;
    const entry = await this.#options.db
      .selectFrom('log')
      .select('id')
      .where('classId', '=', classId)
      .where('seq', '=', item.seq)
      .executeTakeFirst();
    return entry?.id === item.id ? 'committed' : 'aborted';
  }
}
