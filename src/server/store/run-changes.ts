// Runs the changes of one commit in its transaction.
import { sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { DatabaseTransaction } from './tables.ts';
import { isStorageError, isUniqueViolation } from './storage-errors.ts';
import { isLockTimeout } from './transactions.ts';
import { createUnitOfWork, type Change, type Effect } from './unit-of-work.ts';
import { trackWrites } from './written.ts';

/** The result of each change of a batch, in order, and what follows all of them. */
export interface BatchOutcome {
  results: ({ value: unknown } | { error: unknown })[];
  effects: Effect[];
}

/** Throws if the transaction must not commit. */
export type RunChanges = (
  transaction: DatabaseTransaction,
  changes: readonly Change<unknown>[],
) => Promise<BatchOutcome>;

/** A change of the batch waits for a row that another transaction holds. */
export class BlockedChangeError extends Error {
  override name = 'BlockedChangeError';
  readonly change: Change<unknown>;

  constructor(change: Change<unknown>, cause: unknown) {
    super('A change waits for a row.', { cause });
    this.change = change;
  }
}

const maxTries = 10;

/** A change that has written rolls back all of them if it fails. Most are rejected before they write. */
export const runWithoutSavepoints: RunChanges = async (transaction, changes) => {
  const effects: Effect[] = [];
  const results: BatchOutcome['results'] = [];
  for (const change of changes) {
    const own: Effect[] = [];
    const result = await trackWrites(() => change(createUnitOfWork(transaction, own)));
    if ('error' in result) {
      const { error, hasWritten } = result;
      // After an error of the database, PostgreSQL rejects all further statements.
      if (hasWritten || !(error instanceof AppError)) throw toBlocked(error, change);
      results.push({ error });
    } else {
      results.push(result);
      effects.push(...own);
    }
  }
  return { results, effects };
};

/** Each change has a savepoint, so a failed change rolls back only itself and its effects. */
export const runWithSavepoints: RunChanges = async (transaction, changes) => {
  const effects: Effect[] = [];
  const results: BatchOutcome['results'] = [];
  for (const change of changes) {
    for (let tries = 1; ; tries++) {
      const own: Effect[] = [];
      await sql`savepoint change`.execute(transaction);
      try {
        const value = await change(createUnitOfWork(transaction, own));
        await sql`release savepoint change`.execute(transaction);
        results.push({ value });
        effects.push(...own);
        break;
      } catch (error) {
        if (isStorageError(error)) throw toBlocked(error, change);
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

function toBlocked(error: unknown, change: Change<unknown>): unknown {
  return isLockTimeout(error) ? new BlockedChangeError(change, error) : error;
}
