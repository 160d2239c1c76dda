// A change inside a commit: what it is given, how a batch of changes runs, and the effects that follow the commit.
import { sql } from 'kysely';
import type { Class } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { LogItem } from '#contract/socket.ts';
import type { Reader, Site } from './site.ts';
import type { DatabaseTransaction } from './tables.ts';
import {
  isLockTimeout,
  isStatementTimeout,
  isStorageError,
  isUniqueViolation,
} from './storage-errors.ts';
import { trackWrites } from './written.ts';

/**
 * What follows a commit, as data: the commit queue runs it in commit order, before the callers get their results, also if
 * PostgreSQL's reply was lost.
 */
export type Effect =
  /** The item is published to the class's subscribers. */
  | { kind: 'item'; classId: string; item: LogItem }
  /** The search index takes the changed class; `now` is null if the class is deleted. */
  | { kind: 'class'; classId: string; now: Class | null }
  /** Content was erased, which must then leave the database's files. */
  | { kind: 'erased' }
  /** Votes, or a private question, have changed. The change is published later, at a random moment. */
  | { kind: 'unpublished'; classId: string; messageId: string }
  /** Private questions of the class have changed. These accounts have something new to read, as askers or as staff. */
  | { kind: 'privateQuestions'; classId: string; notifiedIds: ReadonlySet<string> }
  /** Someone else marked a reply as the answer to the asker's question. `seq` is that of the mark. */
  | {
      kind: 'answered';
      classId: string;
      seq: number;
      answerId: string;
      /** The memberId of the author of the answer. */
      author: string;
      askerMemberId: string;
    }
  | { kind: 'sessionsEnded'; accountId: string; sessionIds: readonly string[] }
  | { kind: 'enrollment'; accountId: string; classId: string; joined: boolean }
  /** The account has left the class or is deleted, so its read position of the class is removed from memory. */
  | { kind: 'departure'; accountId: string; classId: string }
  /** A change event was stored: see `appendChangeEvent`. */
  | { kind: 'event' }
  /** A case about this persona, or a review of one, has appeared or changed. */
  | { kind: 'case'; classId: string; isForOperators: boolean };

/** A change may run again from the start, so it must have no side effects outside its unit of work. */
export interface UnitOfWork extends Reader {
  db: DatabaseTransaction;
  /** Adds what follows the commit. If the change is not committed, the effect is dropped. */
  addEffect(effect: Effect): void;
  publish(classId: string, item: LogItem): void;
  /** Reports the changed class to the search index; `now` is null if the class is deleted. */
  classChanged(classId: string, now: Class | null): void;
  /** Reports that the change erases content, which must then leave the database's files. */
  contentErased(): void;
}

/** @param staffName the name in the audit log of the operator whose call commits; absent if no call does */
export type Change<Result> = (unitOfWork: UnitOfWork, staffName?: string) => Promise<Result>;

/** Called in commit order, before the callers get their results. */
export interface ClassChangeListener {
  classesChanged(classes: ReadonlyMap<string, Class | null>): void;
}

/** @param effects the list to which the unit of work adds what follows the commit */
function createUnitOfWork(db: DatabaseTransaction, site: Site, effects: Effect[]): UnitOfWork {
  const addEffect = (effect: Effect) => void effects.push(effect);
  return {
    db,
    site,
    addEffect,
    publish: (classId, item) => addEffect({ kind: 'item', classId, item }),
    classChanged: (classId, now) => addEffect({ kind: 'class', classId, now }),
    contentErased: () => addEffect({ kind: 'erased' }),
  };
}

/** The result of each change of a batch, in order, and the effects of all of them. */
export interface BatchOutcome {
  results: ({ value: unknown } | { error: unknown })[];
  effects: Effect[];
}

/** Runs the changes of a batch in one transaction. Throws if the transaction must not commit. */
type RunChanges = (
  transaction: DatabaseTransaction,
  site: Site,
  changes: readonly Change<unknown>[],
) => Promise<BatchOutcome>;

/** A change of the batch waits for a row that another transaction holds, or one of its statements takes too long. */
export class SlowChangeError extends Error {
  override name = 'SlowChangeError';
  readonly change: Change<unknown>;

  constructor(change: Change<unknown>, cause: unknown) {
    super('A change takes too long.', { cause });
    this.change = change;
  }
}

const maxTries = 10;

/** If a change fails after it has written, the whole batch is rolled back. Most rejected changes have written nothing yet. */
export const runWithoutSavepoints: RunChanges = async (transaction, site, changes) => {
  const effects: Effect[] = [];
  const results: BatchOutcome['results'] = [];
  for (const change of changes) {
    const changeEffects: Effect[] = [];
    const result = await trackWrites(() =>
      change(createUnitOfWork(transaction, site, changeEffects)),
    );
    if ('error' in result) {
      const { error, hasWritten, isOwn } = result;
      // After an error of the database, PostgreSQL rejects all further statements.
      if (hasWritten || !(error instanceof AppError)) throw isOwn ? toSlow(error, change) : error;
      results.push({ error });
    } else {
      results.push(result);
      effects.push(...changeEffects);
    }
  }
  return { results, effects };
};

/** Each change has a savepoint, so a failed change rolls back only itself and its effects. */
export const runWithSavepoints: RunChanges = async (transaction, site, changes) => {
  const effects: Effect[] = [];
  const results: BatchOutcome['results'] = [];
  for (const change of changes) {
    for (let tries = 1; ; tries++) {
      const changeEffects: Effect[] = [];
      await sql`savepoint change`.execute(transaction);
      try {
        const value = await change(createUnitOfWork(transaction, site, changeEffects));
        await sql`release savepoint change`.execute(transaction);
        results.push({ value });
        effects.push(...changeEffects);
        break;
      } catch (error) {
        if (isStorageError(error)) throw toSlow(error, change);
        await sql`rollback to savepoint change`.execute(transaction);
        await sql`release savepoint change`.execute(transaction);
        // When the change runs again, it sees the row that the other server wrote.
        if (isUniqueViolation(error) && tries < maxTries) continue;
        results.push({ error });
        break;
      }
    }
  }
  return { results, effects };
};

function toSlow(error: unknown, change: Change<unknown>): unknown {
  const isSlow = isLockTimeout(error) || isStatementTimeout(error);
  return isSlow ? new SlowChangeError(change, error) : error;
}
