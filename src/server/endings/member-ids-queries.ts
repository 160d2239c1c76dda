// Updates every column with a memberId when the server key changes.
import { sql } from 'kysely';
import { listTables, type Database, type DatabaseTransaction } from '#server/store/tables.ts';

/** All memberIds of a class, including those that appear only in the log. */
export async function listMemberIds(db: Database, classId: string): Promise<Set<string>> {
  const tableQueries = listTables('memberIds').map(
    ({ table }) => sql`select "memberId" from ${sql.table(table)}
      where "classId" = ${classId} and "memberId" is not null`,
  );
  const { rows } = await sql<{ memberId: string }>`
    ${sql.join(tableQueries, sql` union `)}
    union select ref from log where "classId" = ${classId} and kind = 'persona'
  `.execute(db);
  return new Set(rows.map(({ memberId }) => memberId));
}

export interface MemberIdChange {
  oldId: string;
  newId: string;
}

/** Engines limit the number of values in one statement. */
const maxPerStatement = 500;

/**
 * Updates in the order of the new ids. The files keep the order of writes, so the order of the accounts would link each account
 * to its new id.
 */
export async function changeMemberIds(
  db: DatabaseTransaction,
  classId: string,
  changes: readonly MemberIdChange[],
): Promise<void> {
  const sortedChanges = changes.toSorted((first, second) => (first.newId < second.newId ? -1 : 1));
  for (let start = 0; start < sortedChanges.length; start += maxPerStatement) {
    await changeBatch(db, classId, sortedChanges.slice(start, start + maxPerStatement));
  }
}

async function changeBatch(
  db: DatabaseTransaction,
  classId: string,
  changes: readonly MemberIdChange[],
): Promise<void> {
  const pairs = changes.map(
    ({ oldId, newId }) => sql`(cast(${oldId} as text), cast(${newId} as text))`,
  );
  const ids = sql`with ids("oldId", "newId") as (values ${sql.join(pairs)})`;
  const newIdQuery = sql`(select "newId" from ids where "oldId" = "memberId")`;
  const isInClass = sql`"classId" = ${classId}`;
  const isListed = sql`${isInClass} and "memberId" in (select "oldId" from ids)`;
  // An icon begins with the memberId of its owner.
  await sql`${ids} update personas
    set icon = replace(icon, "memberId", ${newIdQuery}), "memberId" = ${newIdQuery} where ${isListed}`.execute(
    db,
  );
  for (const { table, fact } of listTables('memberIds')) {
    if (table === 'personas' || fact === 'chained') continue;
    await sql`${ids} update ${sql.table(table)} set "memberId" = ${newIdQuery} where ${isListed}`.execute(
      db,
    );
  }
  await sql`${ids} update log set ref = (select "newId" from ids where "oldId" = ref)
    where ${isInClass} and kind = 'persona' and ref in (select "oldId" from ids)`.execute(db);
}

/**
 * Clears the digests. With the old key and the digests, someone could test guesses of texts and files, also of deleted accounts.
 */
export async function clearDigests(db: DatabaseTransaction, classId: string): Promise<void> {
  for (const table of ['messages', 'images'] as const) {
    await db.updateTable(table).set({ digest: '' }).where('classId', '=', classId).execute();
  }
}
