// Reads and writes encrypted columns, so that they can be encrypted again. Their rows have an id that is derived from an
// account.
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';

/** A row of an account in a class, under an id that only the server key can derive. */
export interface MemberRow {
  classId: string;
  id: string;
  sealed: string;
}

const memberColumns = {
  readMarks: { id: 'reader', sealed: 'position' },
  preferences: { id: 'owner', sealed: 'content' },
} as const;

export type MemberTable = keyof typeof memberColumns;

/** Lists at most `limit` rows, in order, after `lastRow`. */
export async function listMemberRowsAfter(
  db: Database,
  table: MemberTable,
  lastRow: Pick<MemberRow, 'classId' | 'id'>,
  limit: number,
): Promise<MemberRow[]> {
  const id = sql.ref(memberColumns[table].id);
  const sealed = sql.ref(memberColumns[table].sealed);
  const { rows } = await sql<MemberRow>`
    select "classId", ${id} as id, ${sealed} as sealed from ${sql.table(table)}
    where ("classId", ${id}) > (${lastRow.classId}, ${lastRow.id})
    order by "classId", ${id} limit ${limit}`.execute(db);
  return rows;
}

/** Replaces the sealed content, unless the row has changed. */
export async function replaceMemberRow(
  db: DatabaseTransaction,
  table: MemberTable,
  row: MemberRow,
  sealed: string,
): Promise<void> {
  const column = sql.ref(memberColumns[table].sealed);
  await sql`
    update ${sql.table(table)} set ${column} = ${sealed} where ${isUnchanged(table, row)}`.execute(
    db,
  );
}

/** Deletes the row, unless it has changed. */
export async function deleteMemberRow(
  db: DatabaseTransaction,
  table: MemberTable,
  row: MemberRow,
): Promise<void> {
  await sql`delete from ${sql.table(table)} where ${isUnchanged(table, row)}`.execute(db);
}

function isUnchanged(table: MemberTable, { classId, id, sealed }: MemberRow) {
  const columns = memberColumns[table];
  return sql`
    "classId" = ${classId} and ${sql.ref(columns.id)} = ${id}
    and ${sql.ref(columns.sealed)} = ${sealed}`;
}
