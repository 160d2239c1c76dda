// Deleted classes, until their rows are erased.
import { sql } from 'kysely';
import { listTables, type Database, type DatabaseTransaction } from '#server/store/tables.ts';
import { enqueueClass } from '#server/chat/classes/search-index-queue-queries.ts';

/** The classes that were deleted on or before this day. */
export async function listClassesDeletedBy(db: Database, day: number): Promise<string[]> {
  const rows = await db
    .selectFrom('classes')
    .select('classId')
    .where('status', '=', 'deleted')
    .where('deletedDay', '<=', day)
    .execute();
  return rows.map(({ classId }) => classId);
}

/**
 * @param lastErasedDay only classes that were deleted after this day can be restored
 * @returns whether the class was restored
 */
export async function markRestored(
  db: DatabaseTransaction,
  classId: string,
  lastErasedDay: number,
): Promise<boolean> {
  const { rows } = await sql`
    update classes set status = "statusBefore", "statusBefore" = null, "deletedDay" = null
    where "classId" = ${classId} and status = 'deleted' and "deletedDay" > ${lastErasedDay}
    returning "classId"`.execute(db);
  if (rows.length === 0) return false;
  await enqueueClass(db, classId);
  return true;
}

/**
 * Deletes up to `limit` rows of the class.
 *
 * @returns whether there may be more
 */
export async function deleteSomeRows(
  db: DatabaseTransaction,
  classId: string,
  limit: number,
): Promise<boolean> {
  for (const { table, fact: key } of listTables('erasedBy')) {
    const name = sql.table(table);
    const { numAffectedRows } = await sql`
      delete from ${name} where "classId" = ${classId} and ${sql.ref(key)} in (
        select ${sql.ref(key)} from ${name} where "classId" = ${classId}
        order by ${sql.ref(key)} limit ${limit})`.execute(db);
    if (numAffectedRows) return true;
  }
  return false;
}

/**
 * Marks the class's pictures as deleted. Their files and rows are deleted later.
 *
 * @returns whether the class has any pictures left
 */
export async function markImagesDeleted(
  db: DatabaseTransaction,
  classId: string,
): Promise<boolean> {
  await db
    .updateTable('images')
    .set({ status: 'deleted', expiresAt: null })
    .where('classId', '=', classId)
    .where('status', '!=', 'deleted')
    .execute();
  const row = await db
    .selectFrom('images')
    .select('imageId')
    .where('classId', '=', classId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteClassRow(db: DatabaseTransaction, classId: string): Promise<void> {
  await db.deleteFrom('classes').where('classId', '=', classId).execute();
}
