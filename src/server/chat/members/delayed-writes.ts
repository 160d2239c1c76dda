// Writes rows in batches at random times, in key order: a row that is written immediately would be stored next to the
// rows that its owner wrote before.
import { randomInt } from 'node:crypto';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';

export interface DelayedWrites<Value> {
  /** The value that is not yet written, if any. */
  get(key: string): Value | undefined;
  /** All of them. */
  values(): Value[];
  set(key: string, value: Value): void;
  /** Forgets a value that was not written, if it is still this one. */
  revert(key: string, value: Value, before: Value | undefined): void;
  /** Writes the values now. */
  flush(): Promise<void>;
  /** Writes the remaining values. */
  stop(): Promise<void>;
}

interface Parts<Value> {
  /** Not the queue of messages and personas: the rows must not share a transaction with them. */
  commits: CommitQueue;
  /** @param rest the values that the batch does not write */
  write(db: DatabaseTransaction, batch: readonly Value[], rest: () => Value[]): Promise<void>;
  onWritten?(batch: readonly Value[]): void;
}

const minDelayMs = 20_000;
export const maxDelayMs = 60_000;
/** Values per commit: small, so that other writes do not wait long. */
const valuesPerCommit = 200;

export function createDelayedWrites<Value extends object>(
  parts: Parts<Value>,
): DelayedWrites<Value> {
  const { commits, write, onWritten } = parts;
  const pending = new Map<string, Value>();
  let timer: NodeJS.Timeout | null = null;
  let flushing: Promise<void> | null = null;

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
    const ordered = [...pending.keys()].toSorted();
    for (let from = 0; from < ordered.length; from += valuesPerCommit) {
      const batch = ordered.slice(from, from + valuesPerCommit).flatMap((key) => {
        const value = pending.get(key);
        return value ? [{ key, value }] : [];
      });
      const values = batch.map(({ value }) => value);
      const written = new Set(values);
      const rest = () => [...pending.values()].filter((value) => !written.has(value));
      try {
        await commits.write((unitOfWork) => write(unitOfWork.db, values, rest), 'allAccounts');
      } catch {
        break;
      }
      for (const { key, value } of batch) if (pending.get(key) === value) pending.delete(key);
      onWritten?.(values);
    }
    if (timer) clearTimeout(timer);
    timer = null;
    flushing = null;
    if (pending.size > 0) schedule();
  }

  function flush(): Promise<void> {
    flushing ??= writeAll();
    return flushing;
  }

  return {
    get: (key) => pending.get(key),
    values: () => [...pending.values()],
    set(key, value) {
      pending.set(key, value);
      schedule();
    },
    revert(key, value, before) {
      if (pending.get(key) !== value) return;
      if (before) pending.set(key, before);
      else pending.delete(key);
    },
    flush,
    async stop() {
      await flushing;
      if (pending.size > 0) await flush();
      if (timer) clearTimeout(timer);
    },
  };
}
