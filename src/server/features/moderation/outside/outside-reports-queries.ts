import { type Selectable, sql } from 'kysely';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';

export type OutsideReportRow = Selectable<Tables['outsideReports']>;

export async function insertOutsideReport(
  db: DatabaseTransaction,
  row: OutsideReportRow,
): Promise<void> {
  await db.insertInto('outsideReports').values(row).execute();
}

/** Finds the row, and locks it: an update that changes nothing does so on both engines. */
export async function lockOutsideReport(
  db: DatabaseTransaction,
  reportId: string,
): Promise<OutsideReportRow | undefined> {
  return db
    .updateTable('outsideReports')
    .set({ status: sql.ref('status') })
    .where('reportId', '=', reportId)
    .returningAll()
    .executeTakeFirst();
}

export async function updateOutsideReport(
  db: DatabaseTransaction,
  { reportId, ...row }: OutsideReportRow,
): Promise<void> {
  await db.updateTable('outsideReports').set(row).where('reportId', '=', reportId).execute();
}

/** Those that wait, the oldest first; or the newest decisions. */
export async function listOutsideReportRows(
  db: Database,
  status: OutsideReportRow['status'],
  limit: number,
): Promise<OutsideReportRow[]> {
  return db
    .selectFrom('outsideReports')
    .selectAll()
    .where('status', '=', status)
    .orderBy('day', status === 'open' ? 'asc' : 'desc')
    .orderBy('reportId')
    .limit(limit)
    .execute();
}

export async function listWaitingOutsideReports(
  db: Database,
): Promise<{ id: string; day: number }[]> {
  return db
    .selectFrom('outsideReports')
    .select(['reportId as id', 'day'])
    .where('status', '=', 'open')
    .execute();
}

export async function listOutsideReportsAfter(
  db: Database,
  reportId: string,
  limit: number,
): Promise<OutsideReportRow[]> {
  return db
    .selectFrom('outsideReports')
    .selectAll()
    .where('reportId', '>', reportId)
    .orderBy('reportId')
    .limit(limit)
    .execute();
}

/** @returns whether there were any */
export async function deleteOutsideReportsBefore(
  db: DatabaseTransaction,
  day: number,
): Promise<boolean> {
  const result = await db.deleteFrom('outsideReports').where('day', '<', day).executeTakeFirst();
  return result.numDeletedRows > 0n;
}
