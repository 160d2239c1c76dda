// The classes whose changes a hosted index has not confirmed. The change's own transaction inserts the row,
// and the confirmation deletes it, so no update is lost in a crash.
import { sql, type Selectable } from 'kysely';
import type { Database, Tables, DatabaseTransaction } from '../database.ts';

export type QueuedClass = Selectable<Tables['searchDue']>;

/** The metadata name that marks a hosted index. If it is missing, `enqueueClass` does nothing. */
export const hostedIndexMetadataName = 'hostedIndex';

/** Enqueues the class in the transaction of the change. Several changes share one row. */
export async function enqueueClass(db: DatabaseTransaction, classId: string): Promise<void> {
  await db
    .insertInto('searchDue')
    .columns(['classId', 'change'])
    .expression((of) =>
      of
        .selectFrom('facts')
        .select([sql<string>`cast(${classId} as text)`.as('classId'), of.lit(1).as('change')])
        .where('name', '=', hostedIndexMetadataName),
    )
    .onConflict((conflict) => conflict.column('classId').doUpdateSet(oneMore))
    .execute();
}

const oneMore = { change: sql<number>`"searchDue"."change" + 1` };

/** Enqueues the classes even if there is no hosted index. */
export async function enqueueClasses(
  db: DatabaseTransaction,
  classIds: readonly string[],
): Promise<void> {
  // Engines limit the number of values in one statement.
  for (let at = 0; at < classIds.length; at += 500) {
    await db
      .insertInto('searchDue')
      .values(classIds.slice(at, at + 500).map((classId) => ({ classId, change: 1 })))
      .onConflict((conflict) => conflict.column('classId').doUpdateSet(oneMore))
      .execute();
  }
}

export async function enqueueAllClasses(db: DatabaseTransaction): Promise<void> {
  await db
    .insertInto('searchDue')
    .columns(['classId', 'change'])
    .expression((of) =>
      of
        .selectFrom('classes')
        .select(['classId', of.lit(1).as('change')])
        .where(sql.lit(true)),
    )
    .onConflict((conflict) => conflict.column('classId').doUpdateSet(oneMore))
    .execute();
}

export async function listQueuedClasses(db: Database, most: number): Promise<QueuedClass[]> {
  return db.selectFrom('searchDue').selectAll().orderBy('classId').limit(most).execute();
}

/** Keeps classes that have changed again in the meantime. */
export async function dequeueClasses(
  db: DatabaseTransaction,
  told: readonly QueuedClass[],
): Promise<void> {
  // PostgreSQL treats an uncast value in a list as text.
  const pairs = told.map(
    ({ classId, change }) => sql`(cast(${classId} as text), cast(${change} as integer))`,
  );
  await sql`delete from "searchDue" where ("classId", "change") in (values ${sql.join(pairs)})`.execute(
    db,
  );
}

export async function clearSearchIndexQueue(db: DatabaseTransaction): Promise<void> {
  await db.deleteFrom('searchDue').execute();
}
