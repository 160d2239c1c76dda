// Deleted classes, until their rows are erased.
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../database.ts';
import { markedForRemoval } from './images.ts';
import { enqueueClass } from './search-index-queue.ts';

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
 * @param after only classes that were deleted after this day can be restored
 * @returns whether the class was restored
 */
export async function markRestored(
  db: DatabaseTransaction,
  classId: string,
  after: number,
): Promise<boolean> {
  const { rows } = await sql`
    update classes set status = "statusBefore", "statusBefore" = null, "deletedDay" = null
    where "classId" = ${classId} and status = 'deleted' and "deletedDay" > ${after}
    returning "classId"`.execute(db);
  if (rows.length === 0) return false;
  await enqueueClass(db, classId);
  return true;
}

/**
 * The tables of a class with the key of their rows. Messages come first, before the rows that refer to them.
 */
const tables = [
  ['messages', 'seq'],
  ['reactions', 'seq'],
  ['log', 'seq'],
  ['personas', 'memberId'],
  ['enrolments', 'accountId'],
] as const;

/**
 * Deletes up to `most` rows of the class.
 *
 * @returns whether there may be more
 */
export async function deleteSomeRows(
  db: DatabaseTransaction,
  classId: string,
  most: number,
): Promise<boolean> {
  for (const [table, key] of tables) {
    const of = sql.table(table);
    const { numAffectedRows } = await sql`
      delete from ${of} where "classId" = ${classId} and ${sql.ref(key)} in (
        select ${sql.ref(key)} from ${of} where "classId" = ${classId}
        order by ${sql.ref(key)} limit ${most})`.execute(db);
    if (numAffectedRows) return true;
  }
  return false;
}

/**
 * Marks the class's pictures for removal. Their files and rows are deleted later.
 *
 * @returns whether the class has any pictures left
 */
export async function withdrawImagesOf(db: DatabaseTransaction, classId: string): Promise<boolean> {
  await sql`update images set "keptUntil" = ${markedForRemoval}
    where "classId" = ${classId} and ("keptUntil" is null or "keptUntil" <> ${markedForRemoval})`.execute(
    db,
  );
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
