// Which classes a hosted index has yet to hear of. A row is written with the change itself, and taken
// away when the index has said that it has it: what was not told is told after any crash.
import { sql, type Selectable } from 'kysely';
import type { Database, Tables, DatabaseTransaction } from '../database.ts';

export type QueuedClass = Selectable<Tables['searchDue']>;

/** The fact that there is such an index; without it nothing is entered. */
export const hostedIndexMetadataName = 'hostedIndex';

/** Enters the class in the transaction of the change. Several changes are one row, and one record. */
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

/** Enters these whether the index is followed or not. */
export async function enqueueClasses(
  db: DatabaseTransaction,
  classIds: readonly string[],
): Promise<void> {
  // An engine takes so many values in one statement and no more.
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

/** Those that changed again meanwhile stay. */
export async function dequeueClasses(
  db: DatabaseTransaction,
  told: readonly QueuedClass[],
): Promise<void> {
  // PostgreSQL takes a value that only stands in a list for text.
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
