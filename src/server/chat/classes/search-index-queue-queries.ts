// The classes whose changes a hosted index has not confirmed. The transaction of a change inserts the row, and the
// confirmation of the index deletes it, so no update is lost in a crash.
import { sql, type Selectable } from 'kysely';
import type { Database, Tables, DatabaseTransaction } from '#server/store/tables.ts';
import {
  deleteMetadata,
  findMetadata,
  writeMetadata,
} from '#server/store/server-metadata-queries.ts';

export type QueuedClass = Selectable<Tables['searchIndexQueue']>;

/** The metadata name of the index that the queue feeds. If it is missing, `enqueueClass` does nothing. */
const indexMetadataName = 'hostedIndex';

/** Tells whether changes are queued for a hosted index. */
export async function isSearchIndexQueueOpen(db: Database): Promise<boolean> {
  return (await findMetadata(db, indexMetadataName)) !== null;
}

/** Queues every change from now on. If the queue has not fed this index before, all classes are queued. */
export async function openSearchIndexQueue(
  db: DatabaseTransaction,
  indexId: string,
): Promise<void> {
  if ((await findMetadata(db, indexMetadataName)) === indexId) return;
  await writeMetadata(db, indexMetadataName, indexId);
  await enqueueAllClasses(db);
}

/** Stops queuing changes, because the server no longer feeds a hosted index. */
export async function closeSearchIndexQueue(db: DatabaseTransaction): Promise<void> {
  await deleteMetadata(db, indexMetadataName);
  await db.deleteFrom('searchIndexQueue').execute();
}

/** Enqueues the class in the transaction of the change. Several changes share one row. */
export async function enqueueClass(db: DatabaseTransaction, classId: string): Promise<void> {
  await db
    .insertInto('searchIndexQueue')
    .columns(['classId', 'change'])
    .expression((eb) =>
      eb
        .selectFrom('serverMetadata')
        .select([sql<string>`cast(${classId} as text)`.as('classId'), eb.lit(1).as('change')])
        .where('name', '=', indexMetadataName),
    )
    .onConflict((conflict) => conflict.column('classId').doUpdateSet(incrementChange))
    .execute();
}

const incrementChange = { change: sql<number>`"searchIndexQueue"."change" + 1` };

/** Enqueues the classes even if there is no hosted index. */
export async function enqueueClasses(
  db: DatabaseTransaction,
  classIds: readonly string[],
): Promise<void> {
  // Engines limit the number of values in one statement.
  for (let start = 0; start < classIds.length; start += 500) {
    await db
      .insertInto('searchIndexQueue')
      .values(classIds.slice(start, start + 500).map((classId) => ({ classId, change: 1 })))
      .onConflict((conflict) => conflict.column('classId').doUpdateSet(incrementChange))
      .execute();
  }
}

async function enqueueAllClasses(db: DatabaseTransaction): Promise<void> {
  await db
    .insertInto('searchIndexQueue')
    .columns(['classId', 'change'])
    .expression((eb) =>
      eb
        .selectFrom('classes')
        .select(['classId', eb.lit(1).as('change')])
        .where(sql.lit(true)),
    )
    .onConflict((conflict) => conflict.column('classId').doUpdateSet(incrementChange))
    .execute();
}

export async function listQueuedClasses(db: Database, limit: number): Promise<QueuedClass[]> {
  return db.selectFrom('searchIndexQueue').selectAll().orderBy('classId').limit(limit).execute();
}

/** Removes the indexed classes, except those that have changed again in the meantime. */
export async function dequeueClasses(
  db: DatabaseTransaction,
  indexedClasses: readonly QueuedClass[],
): Promise<void> {
  // PostgreSQL treats an uncast value in a list as text.
  const pairs = indexedClasses.map(
    ({ classId, change }) => sql`(cast(${classId} as text), cast(${change} as integer))`,
  );
  await sql`delete from "searchIndexQueue" where ("classId", "change") in (values ${sql.join(pairs)})`.execute(
    db,
  );
}
