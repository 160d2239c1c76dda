// Commits whose answer was lost: PostgreSQL may have committed them, or not. Their classes are read
// again as soon as the database answers, so that nobody who follows a class misses an entry.
import type { Kysely } from 'kysely';
import type { Log } from '../log.ts';
import type { ClassChangeListener } from './commit-queue.ts';
import type { Tables, DatabaseTransaction } from './database.ts';
import type { Effects } from './run-changes.ts';
import { isStorageError } from './storage-errors.ts';

/** Publishes the entries of the class's log after `seq`, if there are any. */
export type PublishMissed = (
  db: DatabaseTransaction,
  classId: string,
  seq: number,
) => Promise<void>;

export interface UnknownOutcomes {
  add(effects: Effects): void;
  has(): boolean;
  /** @returns why the database does not answer yet, or null */
  resolve(): Promise<{ error: unknown } | null>;
}

export function createUnknownOutcomes(
  db: Kysely<Tables>,
  log: Log,
  publishMissed: PublishMissed,
  search: ClassChangeListener | null,
): UnknownOutcomes {
  /** The last entry that was published of each class; null if the commit added none to its log. */
  const lastPublished = new Map<string, number | null>();

  async function resolveClass(classId: string, seq: number | null): Promise<void> {
    await db.transaction().execute(async (transaction) => {
      // A commit that PostgreSQL still works on holds the row: then this waits for its outcome.
      await transaction
        .selectFrom('classes')
        .select('classId')
        .where('classId', '=', classId)
        .forUpdate()
        .execute();
      if (seq !== null) await publishMissed(transaction, classId, seq);
    });
    search?.classesInDoubt([classId]);
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
