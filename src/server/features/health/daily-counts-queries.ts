// Counts of messages per day, the size of what is stored, and the clock of the database.
import { sql } from 'kysely';
import type { Database } from '#server/store/tables.ts';

/** A range of days since 1970. It includes `from` and excludes `to`. */
export interface Days {
  from: number;
  to: number;
}

const dayMs = 86_400_000;

export async function listClassHeads(db: Database): Promise<{ classId: string; seq: number }[]> {
  return db.selectFrom('classes').select(['classId', 'seq']).execute();
}

/**
 * Counts the messages of one class per day. Messages have no index by time, so a binary search in the order of the log finds the
 * first message of the days, and only later messages are read.
 */
export async function countMessagesByDay(
  db: Database,
  { classId, seq }: { classId: string; seq: number },
  { from, to }: Days,
): Promise<Map<number, number>> {
  const firstMs = from * dayMs;
  let start = 0;
  let end = seq;
  while (start < end) {
    const middle = Math.floor((start + end) / 2);
    const next = await db
      .selectFrom('messages')
      .select(['seq', 'createdAt'])
      .where('classId', '=', classId)
      .where('seq', '>', middle)
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    if (!next || next.createdAt >= firstMs) end = middle;
    else start = next.seq;
  }
  if (start >= seq) return new Map();
  const { rows } = await sql<{ day: number | string; total: number | string }>`
    select "createdAt" / ${sql.lit(dayMs)} as day, count(*) as total from messages
    where "classId" = ${classId} and seq > ${start}
      and "createdAt" >= ${firstMs} and "createdAt" < ${to * dayMs}
    group by 1`.execute(db);
  return new Map(rows.map(({ day, total }) => [Math.floor(Number(day)), Number(total)]));
}

export async function getDatabaseBytes(db: Database, kind: 'sqlite' | 'postgres'): Promise<number> {
  const { rows } =
    kind === 'sqlite'
      ? await sql<{ bytes: number }>`
          select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`.execute(
          db,
        )
      : await sql<{
          bytes: string;
        }>`select pg_database_size(current_database()) as bytes`.execute(db);
  return Number(rows[0]?.bytes ?? 0);
}

/** Reads the clock of PostgreSQL, which all nodes share. */
export async function readDatabaseTime(db: Database): Promise<Date | null> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  return rows[0]?.now ?? null;
}
