// The progress of a copy into PostgreSQL. Its table exists only until the copy is complete; until then no server starts on
// the database.
import { sql } from 'kysely';
import { StartupError } from '#server/base/startup-failure.ts';
import type { Database, DatabaseTransaction } from './tables.ts';
import type { EngineKind } from './migrations.ts';

export const progressTable = 'transferProgress';

/** A value of a column, in the same form for both engines. */
export type Value = string | number | boolean | null;

/** The values in the order of the table's columns. Dates are in ISO 8601, in UTC, with milliseconds. */
export type Row = readonly Value[];

export interface TableSummary {
  rows: number;
  /** The sum of the rows' SHA-256 hashes, so it does not depend on their order. */
  digest: string;
}

export interface TableProgress extends TableSummary {
  copied: number;
  /** The primary key of the last copied row; null before the first one. */
  lastKey: Row | null;
}

interface ProgressRow {
  name: string;
  rows: number;
  digest: string;
  copied: number;
  lastKey: string | null;
}

/**
 * @throws {StartupError} if a copy into the database was interrupted
 */
export async function checkNoTransfer(db: Database, engine: EngineKind): Promise<void> {
  if (engine === 'postgres' && (await hasProgress(db))) {
    throw new StartupError(
      'the copy into the database of DATABASE_URL is not complete. Run npm run migrate-to-postgres, or npm run restore, again: it continues.',
    );
  }
}

async function hasProgress(db: Database): Promise<boolean> {
  const { rows } = await sql<{ found: string | null }>`
    select to_regclass(quote_ident(current_schema()) || '."transferProgress"')::text as found`.execute(
    db,
  );
  return typeof rows[0]?.found === 'string';
}

/** Creates the table of the progress. From now on, no server starts on the database. */
export async function createProgress(db: Database): Promise<void> {
  await sql`create table if not exists "transferProgress" (
    name text primary key, rows bigint not null, digest text not null,
    copied bigint not null, "lastKey" text)`.execute(db);
}

/** Gets the progress of each table by its name. */
export async function getProgress(db: Database): Promise<Map<string, TableProgress>> {
  const { rows } = await sql<ProgressRow>`select * from "transferProgress"`.execute(db);
  return new Map(
    rows.map(({ name, lastKey, ...progress }) => [
      name,
      { ...progress, lastKey: lastKey === null ? null : (JSON.parse(lastKey) as Row) },
    ]),
  );
}

export async function startProgress(
  db: DatabaseTransaction,
  summaries: ReadonlyMap<string, TableSummary>,
): Promise<void> {
  await sql`delete from "transferProgress"`.execute(db);
  for (const [name, { rows, digest }] of summaries) {
    await sql`insert into "transferProgress" values (${name}, ${rows}, ${digest}, 0, null)`.execute(
      db,
    );
  }
}

export async function saveProgress(
  db: DatabaseTransaction,
  name: string,
  { copied, lastKey }: Pick<TableProgress, 'copied' | 'lastKey'>,
): Promise<void> {
  await sql`update "transferProgress" set copied = ${copied}, "lastKey" = ${JSON.stringify(lastKey)}
    where name = ${name}`.execute(db);
}

/** Discards the progress, so that the next run starts over. */
export async function discardProgress(db: Database): Promise<void> {
  await sql`delete from "transferProgress"`.execute(db);
}

/** Drops the table of the progress. From now on, servers can start on the database. */
export async function dropProgress(db: DatabaseTransaction): Promise<void> {
  await sql`drop table "transferProgress"`.execute(db);
}
