// Writes rows in batches at random times, in the order of their keys. A row that is written immediately would be stored
// next to the rows that its owner wrote before.
import { randomInt } from 'node:crypto';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { UnitOfWork } from '#server/store/changes.ts';

export interface DelayedWrites<Value> {
  /** Returns the value if it is not yet written. */
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  /** Writes the remaining values. */
  stop(): Promise<void>;
}

interface Dependencies<Value> {
  /** The queue of accounts: the rows must not share a transaction with messages and personas. */
  commits: CommitQueue;
  write(unitOfWork: UnitOfWork, batch: readonly Value[]): Promise<void>;
}

export const minDelayMs = 20_000;
export const maxDelayMs = 60_000;
/** A small number of values per commit, so that other writes do not wait long. */
const valuesPerCommit = 200;

export function createDelayedWrites<Value extends object>(
  dependencies: Dependencies<Value>,
): DelayedWrites<Value> {
  const { commits, write } = dependencies;
  const pending = new Map<string, Value>();
  let timer: NodeJS.Timeout | null = null;
  let currentFlush: Promise<void> | null = null;

  function schedule(): void {
    timer ??= setTimeout(
      () => {
        void flush();
      },
      randomInt(minDelayMs, maxDelayMs),
    );
  }

  /** Writes in key order. If a batch fails, it is retried with the next flush. */
  async function writeAll(): Promise<void> {
    const sortedKeys = [...pending.keys()].toSorted();
    for (let from = 0; from < sortedKeys.length; from += valuesPerCommit) {
      const batch = sortedKeys.slice(from, from + valuesPerCommit).flatMap((key) => {
        const value = pending.get(key);
        return value ? [{ key, value }] : [];
      });
      const values = batch.map(({ value }) => value);
      try {
        await commits.write((unitOfWork) => write(unitOfWork, values), 'allAccounts');
      } catch {
        break;
      }
      for (const { key, value } of batch) if (pending.get(key) === value) pending.delete(key);
    }
    if (timer) clearTimeout(timer);
    timer = null;
    currentFlush = null;
    if (pending.size > 0) schedule();
  }

  function flush(): Promise<void> {
    currentFlush ??= writeAll();
    return currentFlush;
  }

  return {
    get: (key) => pending.get(key),
    set(key, value) {
      pending.set(key, value);
      schedule();
    },
    async stop() {
      await currentFlush;
      if (pending.size > 0) await flush();
      if (timer) clearTimeout(timer);
    },
  };
}
