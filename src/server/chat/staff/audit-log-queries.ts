import type { Selectable } from 'kysely';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';

export type AuditRow = Selectable<Tables['auditLog']>;

export async function findLastEntry(db: Database): Promise<AuditRow | null> {
  return (await listEntries(db, {}, 1))[0] ?? null;
}

/** The last entry about the class with one of these actions. */
export async function findLastClassEntry(
  db: Database,
  classId: string,
  acts: readonly AuditRow['act'][],
): Promise<AuditRow | null> {
  const row = await db
    .selectFrom('auditLog')
    .selectAll()
    .where('classId', '=', classId)
    .where('act', 'in', acts)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

export async function insertEntry(db: DatabaseTransaction, row: AuditRow): Promise<void> {
  await db.insertInto('auditLog').values(row).execute();
}

/** The conditions apply together. */
export interface EntryFilter {
  /** Selects entries with a smaller number. */
  before?: number | undefined;
  act?: AuditRow['act'] | undefined;
  staffName?: string | undefined;
  classId?: string | undefined;
}

/** Newest first. */
export async function listEntries(
  db: Database,
  { before, ...values }: EntryFilter,
  limit: number,
): Promise<AuditRow[]> {
  let query = db.selectFrom('auditLog').selectAll();
  if (before !== undefined) query = query.where('number', '<', before);
  for (const name of ['act', 'staffName', 'classId'] as const) {
    const value = values[name];
    if (value !== undefined) query = query.where(name, '=', value);
  }
  return query.orderBy('number', 'desc').limit(limit).execute();
}

const pageSize = 500;

/** All entries, oldest first. */
export async function* listAllEntries(db: Database): AsyncGenerator<AuditRow> {
  for (let lastNumber = 0; ;) {
    const rows = await db
      .selectFrom('auditLog')
      .selectAll()
      .where('number', '>', lastNumber)
      .orderBy('number')
      .limit(pageSize)
      .execute();
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    lastNumber = last.number;
  }
}

/** @param pattern a pattern for SQL's `like` */
export async function hasEntryWithReason(
  db: Database,
  act: AuditRow['act'],
  pattern: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('auditLog')
    .select('number')
    .where('act', '=', act)
    .where('reason', 'like', pattern)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Replaces fields of an entry. Used only when a new server key changes the memberIds, and once after an earlier version did so.
 */
export async function replaceEntry(
  db: DatabaseTransaction,
  { number, ...changes }: Pick<AuditRow, 'number' | 'memberId' | 'reason' | 'hash'>,
): Promise<void> {
  await db.updateTable('auditLog').set(changes).where('number', '=', number).execute();
}
