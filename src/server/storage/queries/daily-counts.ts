// Counts of messages and sign-ups per day, and the sizes of what is stored.
import { sql } from 'kysely';
import type { Database } from '../database.ts';

/** Days since 1970: from `from` on, before `until`. */
export interface Days {
  from: number;
  until: number;
}

const dayMs = 86_400_000;

export async function listClassEnds(db: Database): Promise<{ classId: string; seq: number }[]> {
  return db.selectFrom('classes').select(['classId', 'seq']).execute();
}

/**
 * The messages of one class per day. A class has no index by time, so this finds the first message of the days by its place
 * in the log, and reads only what follows.
 */
export async function countMessagesByDay(
  db: Database,
  { classId, seq }: { classId: string; seq: number },
  { from, until }: Days,
): Promise<Map<number, number>> {
  const firstMs = from * dayMs;
  let before = 0;
  let end = seq;
  while (before < end) {
    const middle = Math.floor((before + end) / 2);
    const next = await db
      .selectFrom('messages')
      .select(['seq', 'createdAt'])
      .where('classId', '=', classId)
      .where('seq', '>', middle)
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    if (!next || next.createdAt >= firstMs) end = middle;
    else before = next.seq;
  }
  if (before >= seq) return new Map();
  const { rows } = await sql<{ day: number | string; total: number | string }>`
    select "createdAt" / ${sql.lit(dayMs)} as day, count(*) as total from messages
    where "classId" = ${classId} and seq > ${before}
      and "createdAt" >= ${firstMs} and "createdAt" < ${until * dayMs}
    group by 1`.execute(db);
  return new Map(rows.map(({ day, total }) => [Math.floor(Number(day)), Number(total)]));
}

export async function countSignUpsByDay(
  db: Database,
  { from, until }: Days,
): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('accounts')
    .select(({ fn }) => ['createdAt', fn.countAll<number | string>().as('total')])
    .where('createdAt', '>=', new Date(from * dayMs).toISOString())
    .where('createdAt', '<', new Date(until * dayMs).toISOString())
    .groupBy('createdAt')
    .execute();
  const counts = new Map<number, number>();
  for (const { createdAt, total } of rows) {
    const day = Math.floor(new Date(createdAt).getTime() / dayMs);
    counts.set(day, (counts.get(day) ?? 0) + Number(total));
  }
  return counts;
}

export async function sumPictureBytes(db: Database): Promise<number> {
  const row = await db
    .selectFrom('images')
    .select(({ fn }) => fn.sum<number | string | null>('bytes').as('total'))
    .executeTakeFirst();
  return Number(row?.total ?? 0);
}

export async function readDatabaseBytes(
  db: Database,
  kind: 'sqlite' | 'postgres',
): Promise<number> {
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
