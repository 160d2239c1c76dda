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
   * Resolves after the commit, and after what follows it.
   *
   * @param scope what must not change meanwhile, on any server
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
  /** Receives what follows each commit, in commit order. It must not throw. The callers wait for it, later commits do not. */
  follow?: (effects: readonly Effect[]) => Promise<void> | undefined;
  /** Called after a commit whose outcome is unknown: what the server remembers may be wrong. */
  onUnknown?: () => void;
  metrics?: Pick<WorkCounter, 'count' | 'observe'>;
}

interface PendingChange {
  scope: Scope;
  change: Change<unknown>;
  /** Since when another transaction holds its locks, by `performance.now()`. */
  blockedSince: number | null;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

const maxBatchSize = 256;
const maxAttempts = 10;
const attemptDelayMs = 50;
/** How long callers wait while the outcome of their commit is unknown. */
const maxUnknownMs = 2_500;
const outcomeDelayMs = 100;
/** The time that a statement may take. */
const maxBlockedMs = 3_000;
const blockedDelayMs = 100;

/** Fault tests kill the process at one of these stages of a commit. */
const commitStages = channel('backchannel.commit');
function reportStage(stage: 'written' | 'committed' | 'published' | 'acknowledged'): void {
  if (commitStages.hasSubscribers) commitStages.publish({ stage });
}

export function createCommitQueue({
  db,
  kind,
  log,
  follow = () => undefined,
  onUnknown = () => {},
  metrics,
}: CommitQueueOptions): CommitQueue {
  const transactions =
    kind === 'postgres' ? createPostgresTransactions(db) : createSqliteTransactions(db);
  let pending: PendingChange[] = [];
  let running: Promise<void> | null = null;
  /** When writes began to fail; null if they succeed. */
  let failingSince: number | null = null;
  let lastCommitAt = -Infinity;
  let isDraining = false;
  /** What goes on next to later commits: pauses of changes whose locks another transaction holds, and what follows a commit. */
  const unfinished = new Set<Promise<void>>();

  async function run(): Promise<void> {
    // Collects the changes of this event loop turn into one commit.
    await setImmediate();
    while (pending.length > 0) {
      const batch = pending.slice(0, maxBatchSize);
      pending = pending.slice(batch.length);
      await commit(batch);
    }
    running = null;
  }

  /**
   * Retries for half a second if the error is transient. Savepoints are slow, so they are used only if a change failed and
   * rolled back the others.
   */
  async function commit(batch: PendingChange[]): Promise<void> {
    const changes = [...batch];
    let runChanges = runWithoutSavepoints;
    let canWait = true;
    for (let tries = 1; changes.length > 0;) {
      try {
        return await tryCommit(changes, runChanges, canWait);
      } catch (error) {
        if (error instanceof BlockedChangeError) {
          const place = changes.findIndex(({ change }) => change === error.change);
          pause(changes.splice(place, 1));
          canWait = false;
        } else if (canWait && isLockTimeout(error)) {
          canWait = false;
        } else if (
          (isTransient(error) || error instanceof LostCommitError) &&
          tries < maxAttempts
        ) {
          tries += 1;
          metrics?.count('commitProblems', 'retried');
          // Two nodes that repeat in step would meet again.
          await sleep(attemptDelayMs * (0.5 + Math.random()));
        } else if (isConnectionLost(error)) {
          return rejectAll(changes, error);
        } else if (isStorageError(error) || runChanges === runWithSavepoints) {
          return rejectBatch(changes, error);
        } else if (changes.length === 1 && error instanceof AppError) {
          return changes[0]?.reject(error);
        } else {
          runChanges = runWithSavepoints;
        }
      }
    }
  }

  /** The changes run again later, if their time is not over. */
  function pause(changes: readonly PendingChange[]): void {
    const now = performance.now();
    for (const change of changes) change.blockedSince ??= now;
    const isOver = ({ blockedSince }: PendingChange) => now - (blockedSince ?? now) > maxBlockedMs;
    rejectBlocked(changes.filter(isOver));
    const waiting = changes.filter((change) => !isOver(change));
    if (waiting.length === 0) return;
    runBeside(
      sleep(blockedDelayMs * (0.5 + Math.random())).then(() => {
        pending.unshift(...waiting);
        running ??= run();
      }),
    );
  }

  function runBeside(work: Promise<void>): void {
    const tracked = work.then(() => void unfinished.delete(tracked));
    unfinished.add(tracked);
  }

  /** Other changes succeed, so the server is well. */
  function rejectBlocked(changes: readonly PendingChange[]): void {
    if (changes.length === 0) return;
    metrics?.count('commitProblems', 'failed');
    log.warn('commit.blocked', { count: changes.length });
    for (const each of changes) each.reject(new AppError('UNAVAILABLE', undefined, retryTime(0)));
  }

  /** Rejects the pending changes, too, which would fail in the same way. */
  function rejectAll(batch: readonly PendingChange[], error: unknown): void {
    const others = pending;
    pending = [];
    rejectBatch([...batch, ...others], error);
  }

  /** Nothing of the batch could be saved. */
  function rejectBatch(batch: readonly PendingChange[], error: unknown): void {
    if (batch.length === 0) return;
    failingSince ??= performance.now();
    const appError = toAppError(error, batch.length);
    for (const each of batch) each.reject(appError);
  }

  function toAppError(error: unknown, count: number): AppError {
    if (error instanceof AppError) return error;
    log.error('commit.failed', { error, count });
    metrics?.count('commitProblems', 'failed');
    const failingMs = performance.now() - (failingSince ?? performance.now());
    return new AppError('UNAVAILABLE', undefined, retryTime(failingMs));
  }

  /** Throws if nothing was committed. Otherwise every change in the batch is settled or waits for its locks. */
  async function tryCommit(
    batch: readonly PendingChange[],
    runChanges: typeof runWithoutSavepoints,
    canWait: boolean,
  ): Promise<void> {
    const startedAt = performance.now();
    const scopes = batch.map(({ scope }) => scope);
    let free: PendingChange[] = [];
    let outcome: BatchOutcome = { results: [], effects: [] };
    try {
      await transactions.run(scopes, canWait, async (transaction, isFree) => {
        free = batch.filter((_, n) => isFree(n));
        const changes = free.map(({ change }) => change);
        outcome = await runChanges(transaction, changes);
        reportStage('written');
      });
    } catch (error) {
      if (!(error instanceof LostCommitError)) throw error;
      const found = await findLost(error.transaction, outcome.effects, free);
      if (found === 'aborted') throw error;
      if (found === 'unknown') {
        onUnknown();
        rejectBatch(free, error);
      }
      if (found !== 'committed') return pause(batch.filter((one) => !free.includes(one)));
    }
    failingSince = null;
    lastCommitAt = performance.now();
    metrics?.observe('batchSize', free.length);
    metrics?.observe('commitSeconds', (lastCommitAt - startedAt) / 1000);
    reportStage('committed');
    const following = follow(outcome.effects);
    reportStage('published');
    if (following) runBeside(following.then(() => settle(free, outcome)));
    else settle(free, outcome);
    if (free.length < batch.length) pause(batch.filter((one) => !free.includes(one)));
  }

  function settle(changes: readonly PendingChange[], { results }: BatchOutcome): void {
    for (const [n, each] of changes.entries()) {
      const result = results[n];
      if (result && 'error' in result) each.reject(toAppError(result.error, 1));
      else each.resolve(result?.value);
    }
    reportStage('acknowledged');
  }

  /**
   * Asks until PostgreSQL knows the outcome of a commit whose reply was lost. Until then nothing else is committed, because
   * it could be published before. The callers wait only for some seconds.
   */
  async function findLost(
    transaction: TransactionId,
    effects: readonly Effect[],
    batch: readonly PendingChange[],
  ): Promise<'committed' | 'aborted' | 'rejected' | 'unknown'> {
    const since = performance.now();
    let isRejected = false;
    for (;;) {
      let failure: unknown = new Error('The outcome of a commit is unknown.');
      try {
        const found = await transactions.findOutcome(transaction);
        const known =
          found === 'unknown' || found === 'committed' ? await findInLog(effects, found) : found;
        if (known === 'aborted' && isRejected) return 'rejected';
        if (known !== 'in progress') return known;
      } catch (error) {
        failure = error;
      }
      if (performance.now() - since > maxUnknownMs) {
        rejectAll(isRejected ? [] : batch, failure);
        isRejected = true;
      }
      if (isDraining && isRejected) return 'unknown';
      await sleep(outcomeDelayMs);
    }
  }

  /**
   * An entry of the log has a random id, so it tells whether its commit succeeded, also after a failover. PostgreSQL may give the
   * number of a transaction out again after a crash that it survived.
   *
   * @param otherwise if the commit has no entry
   */
  async function findInLog(
    effects: readonly Effect[],
    otherwise: 'committed' | 'unknown',
  ): Promise<'committed' | 'aborted' | 'unknown'> {
    const first = effects.find((effect) => effect.kind === 'item');
    if (!first) return otherwise;
    const { classId, item } = first;
    const entry = await db
      .selectFrom('log')
      .select('id')
      .where('classId', '=', classId)
      .where('seq', '=', item.seq)
      .executeTakeFirst();
    return entry?.id === item.id ? 'committed' : 'aborted';
  }

  return {
    write<Result>(change: Change<Result>, scope: Scope) {
      return new Promise<Result>((resolve, reject) => {
        pending.push({ scope, change, blockedSince: null, resolve, reject });
        running ??= run();
      });
    },
    async drain() {
      isDraining = true;
      while (running ?? unfinished.size > 0) await (running ?? Promise.race(unfinished));
    },
    health: () => ({ isFailing: failingSince !== null, lastCommitAt }),
  };
}
