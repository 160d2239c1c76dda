// How often moderators acted, counted in the audit log, and how many reports arrived.
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';

/** A time from `from` on counts as recent, a time from `to` on does not count. Both are in milliseconds since 1970. */
export interface Period {
  from: number;
  to: number;
}

export interface ActCount {
  act: string;
  recent: number;
  total: number;
}

export async function countActions(
  db: Database,
  acts: readonly string[],
  { from, to }: Period,
): Promise<ActCount[]> {
  const rows = await db
    .selectFrom('auditLog')
    .select(({ fn }) => [
      'act',
      fn.countAll<number | string>().as('total'),
      fn.sum<number | string>(sql`case when "at" >= ${from} then 1 else 0 end`).as('recent'),
    ])
    .where('act', 'in', acts as never)
    .where('at', '<', to)
    .groupBy('act')
    .execute();
  return rows.map(({ act, total, recent }) => ({
    act,
    recent: Number(recent),
    total: Number(total),
  }));
}

/** The recent acts in a class: how many, and on how many members. */
export async function countClassActions(
  db: Database,
  classId: string,
  { from, to }: Period,
): Promise<{ act: string; acts: number; members: number }[]> {
  const rows = await db
    .selectFrom('auditLog')
    .select(({ fn }) => [
      'act',
      fn.countAll<number | string>().as('acts'),
      fn.count<number | string>('memberId').distinct().as('members'),
    ])
    .where('classId', '=', classId)
    .where('at', '>=', from)
    .where('at', '<', to)
    .groupBy('act')
    .execute();
  return rows.map(({ act, acts, members }) => ({
    act,
    acts: Number(acts),
    members: Number(members),
  }));
}

/** Counts reports. The period is in days since 1970. */
export async function countAllReports(
  db: Database,
  { from, to }: Period,
): Promise<{ recent: number; total: number }> {
  const row = await db
    .selectFrom('reportCounts')
    .select(({ fn }) => [
      fn.sum<number | string | null>('reports').as('total'),
      fn
        .sum<number | string | null>(sql`case when "day" >= ${from} then "reports" else 0 end`)
        .as('recent'),
    ])
    .where('day', '<', to)
    .executeTakeFirst();
  return { recent: Number(row?.recent ?? 0), total: Number(row?.total ?? 0) };
}

export async function countReport(db: DatabaseTransaction, day: number): Promise<void> {
  await db
    .insertInto('reportCounts')
    .values({ day, reports: 1 })
    .onConflict((conflict) =>
      conflict
        .column('day')
        .doUpdateSet(({ eb, ref }) => ({ reports: eb(ref('reportCounts.reports'), '+', 1) })),
    )
    .execute();
}
