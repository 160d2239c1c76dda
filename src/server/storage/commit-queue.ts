// Group commit: changes that wait while a transaction is in flight go together in the next one.
import { channel } from 'node:diagnostics_channel';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Class } from '#contract/entities.ts';
import { Refusal } from '#contract/errors.ts';
import type { LogItem } from '#contract/socket.ts';
import type { Log } from '../log.ts';
import { retryTime } from '../retry-time.ts';
import type { Tables, Writer } from './database.ts';

/** What a change writes with. It may run again from its start, so it keeps nothing outside. */
export interface Write {
  db: Writer;
  /** Tells the class's subscribers after the commit; a change that is not committed tells nobody. */
  publish(classId: string, item: LogItem): void;
  /** Says what the change made of a class, for the search; null where it is gone. */
  classChanged(classId: string, now: Class | null): void;
  /** The change takes away what somebody wrote: it must not stay in the database's files. */
  erases(): void;
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

/** Told before anybody in the commit is answered, in the order of the commits. */
export interface OnClassesChanged {
  classesChanged(classes: ReadonlyMap<string, Class | null>): void;
  /** They were changed, or not: the commit's end was not heard of. */
  classesInDoubt(classIds: Iterable<string>): void;
}

/** What is due after a commit. */
interface Effects {
  classes: Map<string, Class | null>;
  published: Map<string, LogItem[]>;
  erases: boolean;
}

interface Waiting {
  change: Change<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

const largestBatch = 256;
const attempts = 10;
const waitMs = 50;

/** Where a commit is, for whoever watches this process from within: fault tests end it at each. */
const moments = channel('backchannel.commit');
function at(moment: 'written' | 'committed' | 'told' | 'acknowledged'): void {
  if (moments.hasSubscribers) moments.publish({ moment });
}

/** @param onErased told after a commit that took something away for good */
export function createCommitQueue(
  db: Kysely<Tables>,
  onCommit: OnCommit,
  log: Log,
  onErased: () => void = () => {},
  search: OnClassesChanged | null = null,
): CommitQueue {
  let waiting: Waiting[] = [];
  let running: Promise<void> | null = null;
  /** Since when nothing could be saved; null while all is well. */
  let failingSince: number | null = null;

  async function run(): Promise<void> {
    // What this turn of the event loop still brings goes into the same commit.
    await setImmediate();
    while (waiting.length > 0) {
      const batch = waiting.slice(0, largestBatch);
      waiting = waiting.slice(batch.length);
      await commit(batch);
    }
    running = null;
  }

  /** All together; each alone where one of them failed by itself and took the others with it. */
  async function commit(batch: Waiting[]): Promise<void> {
    const failure = await attempt(batch);
    if (!failure) return;
    if (batch.length === 1 || isOfStorage(failure.error)) return refuse(batch, failure.error);
    for (const [i, one] of batch.entries()) {
      const alone = await attempt([one]);
      if (!alone) continue;
      // Nobody waits for each of the others to find out the same.
      if (isOfStorage(alone.error)) return refuse(batch.slice(i), alone.error);
      refuse([one], alone.error);
    }
  }

  /** Tries for half a second where the reason may pass. @returns why nothing was committed, or null */
  async function attempt(batch: Waiting[]): Promise<{ error: unknown } | null> {
    for (let tries = 1; ; tries++) {
      try {
        await tryCommit(batch);
        return null;
      } catch (error) {
        if (!isPassing(error) || tries === attempts) return { error };
        await sleep(waitMs);
      }
    }
  }

  function refuse(batch: readonly Waiting[], error: unknown): void {
    const known = error instanceof Refusal;
    if (!known) log.error('commit.failed', { error, count: batch.length });
    if (!known) failingSince ??= performance.now();
    for (const one of batch) one.reject(known ? error : unavailable());
  }

  function unavailable(): Refusal {
    const failingMs = performance.now() - (failingSince ?? performance.now());
    return new Refusal('UNAVAILABLE', undefined, retryTime(failingMs));
  }

  /** Throws when nothing was committed; else everybody in the batch has an answer. */
  async function tryCommit(batch: Waiting[]): Promise<void> {
    const effects: Effects = { classes: new Map(), published: new Map(), erases: false };
    let results: unknown[] | null = null;
    try {
      await db.transaction().execute(async (transaction) => {
        const write = writeInto(transaction, effects);
        const all: unknown[] = [];
        for (const { change } of batch) all.push(await change(write));
        at('written');
        results = all;
      });
    } catch (error) {
      // It may be committed or not: to run the changes again could make them twice.
      if (!results || !isLostConnection(error)) throw error;
      search?.classesInDoubt(effects.classes.keys());
      return refuse(batch, error);
    }
    failingSince = null;
    at('committed');
    tellSearch(effects.classes);
    tell(effects.published);
    if (effects.erases) onErased();
    at('told');
    batch.forEach((one, i) => one.resolve(results?.[i]));
    at('acknowledged');
  }

  function tellSearch(classes: ReadonlyMap<string, Class | null>): void {
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
      while (running) await running;
    },
  };
}

/**
 * What another program's change may bring for a moment: a backup holds SQLite's file; another server
 * on the same PostgreSQL waits for our row as we do for its, or has just written the row that we add.
 */
const passing = ['SQLITE_BUSY', '40001', '40P01', '23505'];

function isPassing(error: unknown): boolean {
  return passing.includes(String(codeOf(error)));
}

/** The disk, the file or the database, and no fault of any change: it would hit each of them alike. */
function isOfStorage(error: unknown): boolean {
  return /^(SQLITE_(?!CONSTRAINT)|40|53|57P|08|E[A-Z]{3})/.test(String(codeOf(error)));
}

/** PostgreSQL went away, and did not say what became of the transaction. */
function isLostConnection(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined || /^(57P|08|E[A-Z]{3})/.test(String(code));
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}

function writeInto(db: Writer, effects: Effects): Write {
  const { classes, published } = effects;
  return {
    db,
    publish(classId, item) {
      const items = published.get(classId);
      if (items) items.push(item);
      else published.set(classId, [item]);
    },
    classChanged(classId, now) {
      classes.set(classId, now);
    },
    erases() {
      effects.erases = true;
    },
  };
}
