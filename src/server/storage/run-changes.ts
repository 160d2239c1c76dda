// Runs the changes of one commit in its transaction.
import { sql } from 'kysely';
import type { DatabaseTransaction } from './database.ts';
import { isStorageError, isUniqueViolation } from './storage-errors.ts';
import {
  addEffects,
  createUnitOfWork,
  noEffects,
  type Change,
  type Effects,
} from './unit-of-work.ts';

/** The result of each change of a batch, in order, and the effects of all of them. */
export interface BatchOutcome {
  results: ({ value: unknown } | { error: unknown })[];
  effects: Effects;
}

/** Throws if the transaction must not commit. */
export type RunChanges = (
  transaction: DatabaseTransaction,
  changes: readonly Change<unknown>[],
) => Promise<BatchOutcome>;

const maxTries = 10;

/** The first change that fails rolls back all of them. */
export const runWithoutSavepoints: RunChanges = async (transaction, changes) => {
  const effects = noEffects();
  const unitOfWork = createUnitOfWork(transaction, effects);
  const results = [];
  for (const change of changes) results.push({ value: await change(unitOfWork) });
  return { results, effects };
};

/** Each change has a savepoint, so a failed change rolls back only itself and its effects. */
export const runWithSavepoints: RunChanges = async (transaction, changes) => {
  const effects = noEffects();
  const results: BatchOutcome['results'] = [];
  for (const change of changes) {
    for (let tries = 1; ; tries++) {
      const ownEffects = noEffects();
      await sql`savepoint change`.execute(transaction);
      try {
        const value = await change(createUnitOfWork(transaction, ownEffects));
        await sql`release savepoint change`.execute(transaction);
        results.push({ value });
        addEffects(effects, ownEffects);
        break;
      } catch (error) {
        if (isStorageError(error)) throw error;
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
