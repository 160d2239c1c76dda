// Requests to unmask, and the history of the setting that allows them.
import type { Selectable } from 'kysely';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';

export type UnmaskingRow = Selectable<Tables['unmaskings']>;
export type HistoryRow = Selectable<Tables['unmaskingHistory']>;

export async function findLastChange(db: Database): Promise<HistoryRow | null> {
  const row = await db
    .selectFrom('unmaskingHistory')
    .selectAll()
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

export async function insertChange(db: DatabaseTransaction, row: HistoryRow): Promise<void> {
  await db.insertInto('unmaskingHistory').values(row).execute();
}

export async function findUnmasking(db: Database, requestId: string): Promise<UnmaskingRow | null> {
  const row = await db
    .selectFrom('unmaskings')
    .selectAll()
    .where('requestId', '=', requestId)
    .executeTakeFirst();
  return row ?? null;
}

const maxListed = 50;

/** Newest first. */
export async function listCaseUnmaskings(db: Database, caseId: string): Promise<UnmaskingRow[]> {
  return db
    .selectFrom('unmaskings')
    .selectAll()
    .where('caseId', '=', caseId)
    .orderBy('number', 'desc')
    .limit(maxListed)
    .execute();
}

/** Lists requests that were opened since then, newest first, without requests in deleted classes. */
export async function listOpenUnmaskings(db: Database, startTime: number): Promise<UnmaskingRow[]> {
  return db
    .selectFrom('unmaskings')
    .innerJoin('classes', 'classes.classId', 'unmaskings.classId')
    .selectAll('unmaskings')
    .where('classes.status', '!=', 'deleted')
    .where('unmaskings.status', '=', 'open')
    .where('requestedAt', '>', startTime)
    .orderBy('number', 'desc')
    .limit(maxListed)
    .execute();
}

export async function insertUnmasking(
  db: DatabaseTransaction,
  row: Omit<UnmaskingRow, 'number'>,
): Promise<void> {
  const last = await db
    .selectFrom('unmaskings')
    .select(({ fn }) => fn.max('number').as('number'))
    .executeTakeFirst();
  const number = (last?.number ?? 0) + 1;
  await db
    .insertInto('unmaskings')
    .values({ ...row, number })
    .execute();
}

export async function closeUnmasking(
  db: DatabaseTransaction,
  requestId: string,
  change: Pick<UnmaskingRow, 'status' | 'closedBy'>,
): Promise<void> {
  await db.updateTable('unmaskings').set(change).where('requestId', '=', requestId).execute();
}

/** Closes the open requests when the server key changes: no one can compare a second operator with the first any more. */
export async function expireAllUnmaskings(db: DatabaseTransaction): Promise<void> {
  await db
    .updateTable('unmaskings')
    .set({ status: 'expired' })
    .where('status', '=', 'open')
    .execute();
  await db.updateTable('unmaskings').set({ requester: '' }).execute();
}

/** When the member posted the first message that is still stored, deleted ones included. */
export async function findFirstMessageTime(
  db: Database,
  classId: string,
  memberId: string,
): Promise<number | null> {
  const row = await db
    .selectFrom('messages')
    .select('createdAt')
    .where('classId', '=', classId)
    .where('memberId', '=', memberId)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  return row?.createdAt ?? null;
}
