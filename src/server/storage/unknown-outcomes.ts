// Commits with an unknown outcome: the connection was lost, so PostgreSQL may have committed them or not. The
// server reads their classes again as soon as the database answers, so no subscriber misses an entry.
import type { Kysely } from 'kysely';
import type { Log } from '../log.ts';
import type { Tables, DatabaseTransaction } from './database.ts';
import { isStorageError } from './storage-errors.ts';
import type { ClassChangeListener, Effects } from './unit-of-work.ts';

/** Publishes the log entries of the class after `seq`. */
export type PublishMissed = (
  db: DatabaseTransaction,
  classId: string,
  seq: number,
) => Promise<void>;

export interface UnknownOutcomes {
  add(effects: Effects): void;
  has(): boolean;
  /** @returns the error if the database still does not answer, or null */
  resolve(): Promise<{ error: unknown } | null>;
}

export function createUnknownOutcomes(
  db: Kysely<Tables>,
  log: Log,
  publishMissed: PublishMissed,
  search: ClassChangeListener | null,
): UnknownOutcomes {
  /** The last published entry of each class; null if the commit added no log entry. */
  const lastPublished = new Map<string, number | null>();

  async function resolveClass(classId: string, seq: number | null): Promise<void> {
    await db.transaction().execute(async (transaction) => {
      // If PostgreSQL still processes the commit, it holds the row lock, and this waits for the outcome.
      await transaction
        .selectFrom('classes')
        .select('classId')
        .where('classId', '=', classId)
        .forUpdate()
        .execute();
      if (seq !== null) await publishMissed(transaction, classId, seq);
    });
    search?.outcomeUnknown([classId]);
  }

  return {
    add({ published, classes }) {
      for (const classId of classes.keys()) lastPublished.set(classId, null);
      for (const [classId, [first]] of published) {
        if (first) lastPublished.set(classId, first.seq - 1);
      }
    },
    has: () => lastPublished.size > 0,
    async resolve() {
      for (const [classId, seq] of lastPublished) {
        try {
          await resolveClass(classId, seq);
        } catch (error) {
          if (isStorageError(error)) return { error };
          log.error('publish.failed', { error });
        }
        lastPublished.delete(classId);
      }
      return null;
    },
  };
}
