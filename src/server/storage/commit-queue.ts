// Group commit: changes that wait while a transaction is in flight go together in the next one.
import { channel } from 'node:diagnostics_channel';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { Refusal } from '#contract/errors.ts';
import type { LogItem } from '#contract/socket.ts';
import type { Log } from '../log.ts';
import type { Tables, Writer } from './database.ts';

/** What a change writes with. It may run again from its start, so it keeps nothing outside. */
export interface Write {
  db: Writer;
  /** Tells the class's subscribers after the commit; a change that is not committed tells nobody. */
  publish(classId: string, item: LogItem): void;
}

export type Change<Result> = (write: Write) => Promise<Result>;

export interface CommitQueue {
  /**
   * Resolves after the commit, never before.
   *
   * @throws {Refusal} the change's own; UNAVAILABLE when nothing could be saved
   */
  write<Result>(change: Change<Result>): Promise<Result>;
  /** Resolves when nothing waits or is in flight. */
  drain(): Promise<void>;
}

/** One class's items of one commit, in the order of its log. */
export type OnCommit = (classId: string, items: LogItem[]) => void;

interface Waiting {
  change: Change<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

const largestBatch = 256;
const busyAttempts = 10;
const busyWaitMs = 50;

/** Where a commit is, for whoever watches this process from within: fault tests end it at each. */
const moments = channel('backchannel.commit');
function at(moment: 'written' | 'committed' | 'told' | 'acknowledged'): void {
  if (moments.hasSubscribers) moments.publish({ moment });
}

export function createCommitQueue(db: Kysely<Tables>, onCommit: OnCommit, log: Log): CommitQueue {
  let waiting: Waiting[] = [];
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    // What this turn of the event loop still brings goes into the same commit.
    await setImmediate();
    while (waiting.length > 0) {
      const batch = waiting.slice(0, largestBatch);
      waiting = waiting.slice(batch.length);
      const committed = batch.length > 1 && (await tryCommit(batch).catch(() => false));
      if (!committed) for (const one of batch) await commitAlone(one);
    }
    running = null;
  }

  async function tryCommit(batch: Waiting[]): Promise<true> {
    const published = new Map<string, LogItem[]>();
    const results = await db.transaction().execute(async (transaction) => {
      const write = writeInto(transaction, published);
      const all: unknown[] = [];
      for (const { change } of batch) all.push(await change(write));
      at('written');
      return all;
    });
    at('committed');
    tell(published);
    at('told');
    batch.forEach((one, i) => one.resolve(results[i]));
    at('acknowledged');
    return true;
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

  /** A change that fails takes its whole transaction back, so after a failure each has its own. */
  async function commitAlone(one: Waiting): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await tryCommit([one]);
        return;
      } catch (error) {
        if (error instanceof Refusal) return one.reject(error);
        // Another program holds the file for a moment, as a backup does.
        if (isBusy(error) && attempt < busyAttempts) await sleep(busyWaitMs);
        else {
          log.error('commit.failed', { error });
          return one.reject(new Refusal('UNAVAILABLE'));
        }
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
      while (running) await running;
    },
  };
}

function isBusy(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'SQLITE_BUSY';
}

function writeInto(db: Writer, published: Map<string, LogItem[]>): Write {
  return {
    db,
    publish(classId, item) {
      const items = published.get(classId);
      if (items) items.push(item);
      else published.set(classId, [item]);
    },
  };
}
