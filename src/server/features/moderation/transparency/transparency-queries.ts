// How often moderators acted, counted in the audit log, and how many reports arrived.
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';

/** From `from` on counts as recent; `until` and later does not count. In milliseconds since 1970. */
export interface Period {
  from: number;
  until: number;
}

export interface ActCount {
  act: string;
  recent: number;
  total: number;
}

export async function countActs(
  db: Database,
  acts: readonly string[],
  { from, until }: Period,
): Promise<ActCount[]> {
  const rows = await db
    .selectFrom('auditLog')
    .select(({ fn }) => [
      'act',
      fn.countAll<number | string>().as('total'),
      fn.sum<number | string>(sql`case when "at" >= ${from} then 1 else 0 end`).as('recent'),
    ])
    .where('act', 'in', acts as never)
    .where('at', '<', until)
    .groupBy('act')
    .execute();
  return rows.map(({ act, total, recent }) => ({
    act,
    recent: Number(recent),
    total: Number(total),
  }));
}

/** The recent acts in a class: how many, and on how many members. */
export async function countClassActs(
  db: Database,
  classId: string,
  { from, until }: Period,
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
    .where('at', '<', until)
    .groupBy('act')
    .execute();
  return rows.map(({ act, acts, members }) => ({
    act,
    acts: Number(acts),
    members: Number(members),
  }));
}

/** In days since 1970. */
export async function countAllReports(
  db: Database,
  { from, until }: Period,
): Promise<{ recent: number; total: number }> {
  const row = await db
    .selectFrom('reportCounts')
    .select(({ fn }) => [
      fn.sum<number | string | null>('reports').as('total'),
      fn
        .sum<number | string | null>(sql`case when "day" >= ${from} then "reports" else 0 end`)
        .as('recent'),
    ])
    .where('day', '<', until)
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
