// Suspensions of the accounts behind personas. The rows name no account.
import type { Selectable } from 'kysely';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';

export type SuspensionRow = Selectable<Tables['suspensions']>;

/** Lifted and ended ones, too. */
export async function listSuspensions(db: Database): Promise<SuspensionRow[]> {
  return db.selectFrom('suspensions').selectAll().orderBy('suspensionId').execute();
}

export async function findSuspension(
  db: Database,
  which: { suspensionId: string } | { caseId: string },
): Promise<SuspensionRow | null> {
  const query = db.selectFrom('suspensions').selectAll();
  const row =
    'caseId' in which
      ? await query.where('caseId', '=', which.caseId).executeTakeFirst()
      : await query.where('suspensionId', '=', which.suspensionId).executeTakeFirst();
  return row ?? null;
}

export async function insertSuspension(db: DatabaseTransaction, row: SuspensionRow): Promise<void> {
  await db.insertInto('suspensions').values(row).execute();
}

export async function updateSuspension(
  db: DatabaseTransaction,
  suspensionId: string,
  change: Partial<Pick<SuspensionRow, 'status' | 'content'>>,
): Promise<void> {
  await db
    .updateTable('suspensions')
    .set(change)
    .where('suspensionId', '=', suspensionId)
    .execute();
}

export async function deleteAllSuspensions(db: DatabaseTransaction): Promise<void> {
  await db.deleteFrom('suspensions').execute();
}
