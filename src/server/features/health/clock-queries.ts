import { sql } from 'kysely';
import type { Database } from '#server/store/tables.ts';

/** Reads the clock of PostgreSQL, which all nodes share. */
export async function readDatabaseTime(db: Database): Promise<Date | null> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  return rows[0]?.now ?? null;
}
