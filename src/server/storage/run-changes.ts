// Runs the changes of one commit in its transaction.
import { sql } from 'kysely';
import type { Class } from '#contract/entities.ts';
import type { LogItem } from '#contract/socket.ts';
import type { Change, UnitOfWork } from './commit-queue.ts';
import type { DatabaseTransaction } from './database.ts';
import { isStorageError, isUniqueViolation } from './storage-errors.ts';

/** What to do after the commit. */
export interface Effects {
  classes: Map<string, Class | null>;
  published: Map<string, LogItem[]>;
  erases: boolean;
}

/** The results of a batch inside its transaction. */
export interface Outcomes {
  answers: ({ result: unknown } | { error: unknown })[];
  effects: Effects;
}

/** Throws if the transaction must not commit. */
export type RunChanges = (
  transaction: DatabaseTransaction,
  changes: readonly Change<unknown>[],
) => Promise<Outcomes>;

const maxTries = 10;

/** The first change that fails rolls back all of them. */
export const runTogether: RunChanges = async (transaction, changes) => {
  const effects = noEffects();
  const write = writeInto(transaction, effects);
  const answers = [];
  for (const change of changes) answers.push({ result: await change(write) });
  return { answers, effects };
};

/** Each change has a savepoint, so a failed change rolls back only itself and its effects. */
export const runApart: RunChanges = async (transaction, changes) => {
  const effects = noEffects();
  const answers: Outcomes['answers'] = [];
  for (const change of changes) {
    for (let tries = 1; ; tries++) {
      const own = noEffects();
      await sql`savepoint change`.execute(transaction);
      try {
        const result = await change(writeInto(transaction, own));
        await sql`release savepoint change`.execute(transaction);
        answers.push({ result });
        addEffects(effects, own);
        break;
      } catch (error) {
        if (isStorageError(error)) throw error;
        await sql`rollback to savepoint change`.execute(transaction);
        await sql`release savepoint change`.execute(transaction);
        // When the change runs again, it sees the row that the other server wrote.
        if (isUniqueViolation(error) && tries < maxTries) continue;
        answers.push({ error });
        break;
      }
    }
  }
  return { answers, effects };
};

function noEffects(): Effects {
  return { classes: new Map(), published: new Map(), erases: false };
}

function addEffects(all: Effects, own: Effects): void {
  for (const [classId, now] of own.classes) all.classes.set(classId, now);
  for (const [classId, items] of own.published) {
    all.published.set(classId, [...(all.published.get(classId) ?? []), ...items]);
  }
  all.erases ||= own.erases;
}

function writeInto(db: DatabaseTransaction, effects: Effects): UnitOfWork {
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
