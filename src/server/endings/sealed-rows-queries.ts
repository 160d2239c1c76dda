// Reads and writes encrypted columns, so that they can be encrypted again. Their rows name an account, or have an id that is derived
// from an account.
import { sql } from 'kysely';
import { placeholderDates, placeholderDatesAndEnd } from '#server/base/sealed-times.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';

/** The sealed columns of an account and its sessions, and the columns that they replace. */
export interface AccountRows {
  account: {
    id: string;
    times: string | null;
    createdAt: string | Date;
    lastUse: string | null;
    notifications: string | null;
  };
  sessions: {
    id: string;
    token: string;
    times: string | null;
    createdAt: string | Date;
    expiresAt: string | Date;
    push: string | null;
  }[];
}

/** Lists the ids of at most `limit` accounts, in order, after `afterAccountId`. */
export async function listAccountIdsAfter(
  db: Database,
  afterAccountId: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '>', afterAccountId)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** @returns null if the account does not exist */
export async function findAccountRows(
  db: Database,
  accountId: string,
): Promise<AccountRows | null> {
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'times', 'createdAt', 'lastUse', 'notifications'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  if (!account) return null;
  const sessions = await db
    .selectFrom('sessions')
    .select(['id', 'token', 'times', 'createdAt', 'expiresAt', 'push'])
    .where('userId', '=', accountId)
    .execute();
  return { account, sessions };
}

export async function saveSealedAccount(
  db: DatabaseTransaction,
  accountId: string,
  sealed: Pick<AccountRows['account'], 'lastUse' | 'notifications'> & { times: string },
): Promise<void> {
  const columns = { ...sealed, ...placeholderDates };
  await db.updateTable('accounts').set(columns).where('id', '=', accountId).execute();
  await db
    .updateTable('credentials')
    .set(placeholderDates)
    .where('userId', '=', accountId)
    .execute();
}

export async function saveSealedSession(
  db: DatabaseTransaction,
  sessionId: string,
  sealed: { times: string; push: string | null },
): Promise<void> {
  const columns = { ...sealed, ...placeholderDatesAndEnd };
  await db.updateTable('sessions').set(columns).where('id', '=', sessionId).execute();
}

export async function listMailedLinks(db: Database) {
  return db
    .selectFrom('verifications')
    .select(['id', 'identifier', 'times', 'createdAt', 'expiresAt'])
    .execute();
}

export async function deleteMailedLinks(
  db: DatabaseTransaction,
  ids: readonly string[],
): Promise<void> {
  await db.deleteFrom('verifications').where('id', 'in', ids).execute();
}

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
