// Suspensions of the accounts behind personas. The rows name no account.
import type { Selectable } from 'kysely';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';

export type SuspensionRow = Selectable<Tables['suspensions']>;

/** All suspensions, lifted and ended ones included. */
export async function listSuspensions(db: Database): Promise<SuspensionRow[]> {
  return db.selectFrom('suspensions').selectAll().orderBy('suspensionId').execute();
}

export async function findSuspension(
  db: Database,
  suspensionId: string,
): Promise<SuspensionRow | null> {
  return (await listSuspensionsBy(db, { suspensionIds: [suspensionId] }))[0] ?? null;
}

export async function listSuspensionsBy(
  db: Database,
  filter: { suspensionIds: readonly string[] } | { caseIds: readonly string[] },
): Promise<SuspensionRow[]> {
  const [column, ids] =
    'caseIds' in filter
      ? (['caseId', filter.caseIds] as const)
      : (['suspensionId', filter.suspensionIds] as const);
  if (ids.length === 0) return [];
  return db.selectFrom('suspensions').selectAll().where(column, 'in', ids).execute();
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
