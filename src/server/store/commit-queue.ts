// Group commit: changes that arrive during a transaction share the next one.
import { channel } from 'node:diagnostics_channel';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { Log } from '#server/base/log.ts';
import type { WorkCounter } from '#server/base/metrics.ts';
import { retryTime } from '#server/base/retry-time.ts';
import { listOrderedIds, type Scope } from './commit-locks.ts';
import type { Tables } from './tables.ts';
import {
  isConnectionLost,
  isLockTimeout,
  isStatementTimeout,
  isStorageError,
  isTransient,
  toAppError,
} from './storage-errors.ts';
import {
  LostCommitError,
  createPostgresTransactions,
  createSqliteTransactions,
  type RunTransaction,
} from './transactions.ts';
import {
  SlowChangeError,
  runWithSavepoints,
  runWithoutSavepoints,
  type BatchOutcome,
  type Change,
  type Effect,
} from './changes.ts';
import { noSite, type Site } from './site.ts';
import { runOnSide, type Side } from './written.ts';

export interface Commits {
  /**
   * Resolves after the commit and its effects.
   *
   * @param scope what no other commit may change before this one, on any server
   * @param group changes of different groups share no transaction
   * @throws {AppError} the change's own error, UNAVAILABLE if nothing could be saved, or INTERNAL if the change has a defect
   */
  write<Result>(change: Change<Result>, scope: Scope, group?: string): Promise<Result>;
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
  /** Absent in commands, most of which need no key. */
  site?: Site;
  kind: 'sqlite' | 'postgres';
  /** The only side of the database that the queue writes. Without it, the first statement of a transaction decides. */
  side?: Side;
  log: Log;
  /**
   * Runs the effects of each commit, in commit order. It must not throw. The callers wait for its promise, later commits do not.
   */
  follow?: (effects: readonly Effect[]) => Promise<void> | undefined;
  metrics?: Pick<WorkCounter, 'count' | 'observe'>;
}

interface PendingChange {
  /** Later changes have a higher number. */
  number: number;
  scope: Scope;
  group: string;
  /** What it shares with earlier changes that it must not overtake while they are set aside. */
  orderedIds: readonly string[];
  /** Those of the ids for which later changes wait while this one is set aside. */
  heldIds: readonly string[];
  change: Change<unknown>;
  /** When the change was first set aside, by `performance.now()`; Infinity if it never was. */
  setAsideAt: number;
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

export class GroupCommitQueue implements CommitQueue {
  readonly #options: CommitQueueOptions;
  readonly #runTransaction: RunTransaction;
  #pending: PendingChange[] = [];
  /** The changes whose locks other transactions hold, and those that must not overtake them. They soon run again. */
  readonly #setAside: PendingChange[] = [];
  #lastNumber = 0;
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
    this.#runTransaction = create(options.db);
  }

  write<Result>(change: Change<Result>, scope: Scope, group = ''): Promise<Result> {
    return new Promise((resolve, reject) => {
      const number = ++this.#lastNumber;
      const orderedIds = listOrderedIds(scope);
      this.#pending.push({
        number,
        scope,
        group,
        orderedIds,
        heldIds: orderedIds,
        change,
        setAsideAt: Infinity,
        resolve,
        reject,
      });
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
      await this.#commit(this.#takeFree(this.#takeGroup(), () => true));
    }
    this.#currentRun = null;
  }

  /** Takes the first pending changes of one group: that of the oldest. */
  #takeGroup(): PendingChange[] {
    const group = this.#pending[0]?.group;
    const changes = this.#pending.filter((change) => change.group === group).slice(0, maxBatchSize);
    const taken = new Set(changes);
    this.#pending = this.#pending.filter((change) => !taken.has(change));
    return changes;
  }

  /**
   * Retries for half a second if the error is transient. Savepoints are slow, so the batch uses them only after a change has
   * failed and rolled back the others.
   */
  async #commit(batch: PendingChange[]): Promise<void> {
    let changes = batch;
    let runChanges = runWithoutSavepoints;
    let canWait = true;
    const { side = null, site = noSite } = this.#options;
    for (let tries = 1; changes.length > 0;) {
      const startedAt = performance.now();
      let outcome: BatchOutcome = { results: [], effects: [] };
      try {
        const scopes = changes.map(({ scope }) => scope);
        await this.#runTransaction(scopes, canWait, async (transaction, isFree) => {
          changes = this.#takeFree(changes, (_change, index) => isFree(index));
          const run = changes.map(({ change }) => change);
          outcome = await runOnSide(side, () => runChanges(transaction, site, run));
          reportStage('written');
        });
        return this.#succeed(startedAt, changes, outcome);
      } catch (error) {
        const isLost = error instanceof LostCommitError;
        if (isLost && (await this.#isCommitted(error, changes))) {
          return this.#succeed(startedAt, changes, outcome);
        }
        if (error instanceof SlowChangeError) {
          changes = this.#removeSlow(changes, error);
          canWait = false;
        } else if (canWait && isLockTimeout(error)) {
          canWait = false;
        } else if ((isLost || isTransient(error)) && tries < maxAttempts) {
          tries += 1;
          this.#options.metrics?.count('commitProblems', 'retried');
          // A random delay, because two nodes that retry at the same times would block each other again.
          await sleep(attemptDelayMs * (0.5 + Math.random()));
        } else if (isConnectionLost(error)) {
          return this.#rejectAll(changes, error);
        } else if (changes.length === 1 && error instanceof AppError) {
          return changes[0]?.reject(error);
        } else if (runChanges === runWithoutSavepoints && mayBeOfOneChange(error)) {
          runChanges = runWithSavepoints;
        } else {
          return this.#rejectBatch(changes, error);
        }
      }
    }
  }

  /**
   * Asks PostgreSQL whether a commit succeeded, until it answers. Meanwhile the queue commits nothing else, because a later commit
   * would be published before this one. After some seconds the changes are rejected and leave the list, so they never run again.
   */
  async #isCommitted(lostCommit: LostCommitError, changes: PendingChange[]): Promise<boolean> {
    const startedAt = performance.now();
    for (;;) {
      try {
        return await lostCommit.isCommitted();
      } catch (error) {
        const isTimeOver = performance.now() - startedAt > maxUnknownMs;
        if (isTimeOver) this.#rejectAll(changes.splice(0), error);
        if (isTimeOver && this.#isDraining) return false;
        await sleep(outcomeDelayMs);
      }
    }
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
      if (!result || 'value' in result) {
        change.resolve(result?.value);
      } else {
        if (!(result.error instanceof AppError)) this.#reportFailure(result.error, 1);
        change.reject(toAppError(result.error));
      }
    }
    reportStage('acknowledged');
  }

  #track(work: Promise<void>): void {
    const trackedWork = work.then(() => void this.#unfinished.delete(trackedWork));
    this.#unfinished.add(trackedWork);
  }

  /**
   * Takes the free changes, and sets aside the others with those that would overtake one that is set aside. A batch that runs again
   * also has changes from before those that are set aside.
   */
  #takeFree(
    changes: PendingChange[],
    isFree: (change: PendingChange, index: number) => boolean,
  ): PendingChange[] {
    /** The number of the first change that is set aside, by each id. */
    const firstNumbers = new Map<string, number>();
    const block = ({ heldIds, number }: PendingChange) => {
      for (const id of heldIds) {
        firstNumbers.set(id, Math.min(number, firstNumbers.get(id) ?? Infinity));
      }
    };
    this.#setAside.forEach(block);
    return changes.filter((change, index) => {
      const wouldOvertake = change.orderedIds.some(
        (id) => (firstNumbers.get(id) ?? Infinity) < change.number,
      );
      const canRun = isFree(change, index);
      if (canRun && !wouldOvertake) return true;
      // If only a change of another class of the same member is in its way, the other members of its class go on.
      change.heldIds = canRun ? listOrderedIds(change.scope, false) : change.orderedIds;
      block(change);
      if (this.#setAside.length === 0) {
        const delayMs = blockedDelayMs * (0.5 + Math.random());
        this.#track(sleep(delayMs).then(() => this.#resume()));
      }
      change.setAsideAt = Math.min(change.setAsideAt, performance.now());
      this.#setAside.push(change);
      return false;
    });
  }

  /** Runs the changes that were set aside again. Rejects those that have been blocked for too long. */
  #resume(): void {
    const now = performance.now();
    const changes = this.#setAside.splice(0).toSorted((first, next) => first.number - next.number);
    const isLate = ({ setAsideAt }: PendingChange) => now - setAsideAt > maxBlockedMs;
    const lateChanges = changes.filter(isLate);
    if (lateChanges.length > 0) {
      this.#options.metrics?.count('commitProblems', 'failed');
      this.#options.log.warn('commit.blocked', { count: lateChanges.length });
    }
    // The server does not count as failing, because other changes succeed.
    for (const { reject } of lateChanges) reject(new AppError('UNAVAILABLE'));
    this.#pending.unshift(...changes.filter((change) => !isLate(change)));
    this.#currentRun ??= this.#run();
  }

  /** Sets the change aside if it waits for a row, and rejects it if its statement takes too long for any batch. */
  #removeSlow(changes: PendingChange[], error: SlowChangeError): PendingChange[] {
    const isOther = ({ change }: PendingChange) => change !== error.change;
    if (isLockTimeout(error.cause)) return this.#takeFree(changes, isOther);
    this.#reportFailure(error.cause, 1);
    const slowChange = changes.find((change) => !isOther(change));
    slowChange?.reject(new AppError('UNAVAILABLE', undefined, retryTime(Infinity)));
    return changes.filter(isOther);
  }

  /** Rejects the batch and all pending changes, which would fail in the same way. */
  #rejectAll(batch: readonly PendingChange[], error: unknown): void {
    this.#rejectBatch([...batch, ...this.#pending.splice(0)], error);
  }

  /** Rejects a batch of which nothing could be saved. */
  #rejectBatch(batch: readonly PendingChange[], error: unknown): void {
    if (batch.length === 0) return;
    this.#failingSince ??= performance.now();
    this.#reportFailure(error, batch.length);
    const retryAfterMs = retryTime(performance.now() - this.#failingSince);
    for (const { reject } of batch) reject(new AppError('UNAVAILABLE', undefined, retryAfterMs));
  }

  #reportFailure(error: unknown, count: number): void {
    this.#options.log.error('commit.failed', { error, count });
    this.#options.metrics?.count('commitProblems', 'failed');
  }
}

/** Tells whether one change of a batch may have caused the error, so that the others can be saved without it. */
function mayBeOfOneChange(error: unknown): boolean {
  return !isStorageError(error) || isLockTimeout(error) || isStatementTimeout(error);
}
