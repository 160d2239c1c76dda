// Copies an SQLite database into an empty PostgreSQL database. If a copy was interrupted, it continues.
import SQLite from 'better-sqlite3';
import { Kysely, sql } from 'kysely';
import type { Log } from '#server/base/log.ts';
import { getErrorCode, StartupError } from '#server/base/startup-failure.ts';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';
import { createPostgresDialect } from '#server/store/dialects/postgres.ts';
import { migrate, listMigrations } from '#server/store/migrations.ts';
import { findMetadata } from '#server/store/server-metadata-queries.ts';
import { isConnectionLost, toStartupError } from '#server/store/storage-errors.ts';
import { toPrimaryKey, streamPostgresRows, streamSqliteRows } from './read-tables.ts';
import type { Row, TableSummary } from '#server/store/transfer-progress.ts';
import { createSummary, isSameSummary } from './rows.ts';
import {
  describeTables,
  listPostgresTables,
  quoteList,
  type ColumnType,
  type Table,
} from './tables.ts';
import {
  createProgress,
  discardProgress,
  dropProgress,
  progressTable,
  getProgress,
  saveProgress,
  startProgress,
} from '#server/store/transfer-progress.ts';

export interface TransferReport {
  step: 'reading' | 'copying' | 'checking';
  table: string;
  /** The rows of the table so far. */
  rows: number;
}

interface Copy {
  /** An SQLite file of this version. Other programs cannot write to it during the copy. */
  file: string;
  /** The PostgreSQL database. No server may use it. */
  url: string;
  log: Log;
  report(report: TransferReport): void;
  /** Starts a new epoch in the transaction that completes the copy; null if the copy continues the history of the file. */
  startNewEpoch: ((db: DatabaseTransaction) => Promise<void>) | null;
}

export type TableSummaries = ReadonlyMap<string, TableSummary>;

const lockTimeoutMs = 2000;

/**
 * @returns the count and the digest of each table, which are the same in both databases
 * @throws {StartupError}
 */
export async function copyToPostgres(copy: Copy): Promise<TableSummaries> {
  const target = new Kysely<Tables>({ dialect: createPostgresDialect(copy.url, copy.log, false) });
  const source = new SQLite(copy.file, { fileMustExist: true, timeout: lockTimeoutMs });
  try {
    // Without the write lock, a command of `npm run admin` could change the file during the copy, and the change would be lost.
    source.exec('begin immediate');
    await prepareTarget(target, copy.startNewEpoch ? null : source);
    const tables = await describeTables(source, target);
    const summaries = summarize(source, tables, copy.report);
    await resumeOrStartOver(target, tables, summaries);
    for (const table of tables) await copyTable(source, target, table, copy.report);
    await compare(target, tables, summaries, copy.report);
    await sql`analyze`.execute(target);
    await target.transaction().execute(async (transaction) => {
      await copy.startNewEpoch?.(transaction);
      await dropProgress(transaction);
    });
    return summaries;
  } catch (error) {
    throw toCopyError(error);
  } finally {
    source.close();
    await target.destroy();
  }
}

function toCopyError(error: unknown): unknown {
  const code = getErrorCode(error);
  if (code.startsWith('SQLITE_BUSY')) {
    return new StartupError('another program uses the database file. Stop it, then try again.');
  }
  if (code === '53100') {
    return new StartupError(
      'the disk of PostgreSQL is full. Free space, then run this command again: it continues.',
    );
  }
  const startupError = toStartupError(error);
  if (startupError === error && isConnectionLost(error)) {
    return new StartupError(
      'the connection to PostgreSQL was lost. Run this command again: it continues.',
    );
  }
  return startupError;
}

/**
 * Checks that the target can take the copy. It changes nothing in either database, so it can run before the file is migrated.
 *
 * @param file an SQLite file of this version or an earlier one
 * @throws {StartupError} if the database is not empty and not the target of an interrupted copy
 */
export async function checkTarget({ file, url, log }: Pick<Copy, 'file' | 'url' | 'log'>) {
  const target = new Kysely<Tables>({ dialect: createPostgresDialect(url, log, false) });
  const source = new SQLite(file, { fileMustExist: true, timeout: lockTimeoutMs });
  try {
    await checkEmpty(target, await listPostgresTables(target), source);
  } catch (error) {
    throw toCopyError(error);
  } finally {
    source.close();
    await target.destroy();
  }
}

/** @param source null if the copy starts a new epoch */
async function prepareTarget(target: Database, source: SQLite.Database | null): Promise<void> {
  const names = await listPostgresTables(target);
  await checkEmpty(target, names, source);
  if (!names.includes(progressTable)) await createProgress(target);
  await migrate(target, 'postgres');
}

async function checkEmpty(
  target: Database,
  names: readonly string[],
  source: SQLite.Database | null,
): Promise<void> {
  const { rows } = await sql<{ encoding: string }>`
    select current_setting('server_encoding') as encoding`.execute(target);
  if (rows[0]?.encoding !== 'UTF8') {
    throw new StartupError(
      "the database of DATABASE_URL cannot store every character. Create one with the encoding UTF8: create database NAME encoding 'UTF8' template template0.",
    );
  }
  if (names.length === 0 || names.includes(progressTable)) return;
  if (await isNewer(target, names)) {
    throw new StartupError(
      'a newer version of Backchannel has written the database of DATABASE_URL. Create an empty database and name that one: nothing was changed.',
    );
  }
  if (source && (await isSameHistory(target, source, names))) {
    throw new StartupError(
      'the database of DATABASE_URL has the data of this folder already. Start the server on it.',
    );
  }
  throw new StartupError(
    'the database of DATABASE_URL is not empty. Create an empty database and name that one: nothing was changed.',
  );
}

async function isNewer(target: Database, names: readonly string[]): Promise<boolean> {
  if (!names.includes('kysely_migration')) return false;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(target);
  const knownMigrations = listMigrations('postgres');
  return rows.some(({ name }) => !(name in knownMigrations));
}

/** Tells whether the target has a complete copy already, because an earlier run completed it. */
async function isSameHistory(
  target: Database,
  source: SQLite.Database,
  names: readonly string[],
): Promise<boolean> {
  // In a file from before migration 0016, the table has another name.
  const tables = source.prepare(`select 1 from sqlite_schema where name = 'serverMetadata'`);
  if (!names.includes('serverMetadata') || !tables.get()) return false;
  const epoch: unknown = source
    .prepare(`select value from "serverMetadata" where name = 'epoch'`)
    .pluck()
    .get();
  return typeof epoch === 'string' && (await findMetadata(target, 'epoch')) === epoch;
}

/** @throws {StartupError} for data that PostgreSQL would reject */
function summarize(
  source: SQLite.Database,
  tables: readonly Table[],
  report: Copy['report'],
): TableSummaries {
  const [violation] = source.pragma('foreign_key_check') as { table: string; parent: string }[];
  if (violation) {
    throw new StartupError(
      `table "${violation.table}" has rows whose row in "${violation.parent}" is missing. Restore a backup, or delete these rows, then try again.`,
    );
  }
  return new Map(
    tables.map((table) => {
      const summary = createSummary(table);
      for (const batch of streamSqliteRows(source, table)) {
        for (const row of batch) summary.add(row);
        report({ step: 'reading', table: table.name, rows: summary.result().rows });
      }
      return [table.name, summary.result()];
    }),
  );
}

/** Continues an interrupted copy if its source has not changed. Otherwise it empties the tables, and the copy starts over. */
async function resumeOrStartOver(
  target: Database,
  tables: readonly Table[],
  summaries: TableSummaries,
): Promise<void> {
  const progress = await getProgress(target);
  const isSame = tables.every(({ name }) => isSameSummary(summaries.get(name), progress.get(name)));
  if (isSame && progress.size === tables.length) return;
  await target.transaction().execute(async (transaction) => {
    const names = quoteList(tables.map(({ name }) => name));
    await sql`truncate ${sql.raw(names)}`.execute(transaction);
    await startProgress(transaction, summaries);
  });
}

const postgresTypes: Record<ColumnType, string> = {
  text: 'text',
  integer: 'integer',
  bigint: 'bigint',
  boolean: 'boolean',
  date: 'timestamptz',
  bytes: 'bytea',
};

/**
 * Copies the rows of a table in the order of its primary key. Each transaction has rows of only one table, so neither the
 * transactions nor the places of rows link an account to a persona.
 */
async function copyTable(
  source: SQLite.Database,
  target: Database,
  table: Table,
  report: Copy['report'],
): Promise<void> {
  const progress = (await getProgress(target)).get(table.name);
  let copied = progress?.copied ?? 0;
  for (const batch of streamSqliteRows(source, table, progress?.lastKey)) {
    copied += batch.length;
    const lastKey = toPrimaryKey(table, batch.at(-1) ?? []);
    await target.transaction().execute(async (transaction) => {
      await insert(transaction, table, batch);
      await saveProgress(transaction, table.name, { copied, lastKey });
    });
    report({ step: 'copying', table: table.name, rows: copied });
  }
}

async function insert(
  transaction: DatabaseTransaction,
  { name, columns }: Table,
  rows: readonly Row[],
): Promise<void> {
  const values = columns.map(
    ({ type }, n) => sql`${rows.map((row) => row[n])}::${sql.raw(postgresTypes[type])}[]`,
  );
  await sql`insert into ${sql.table(name)} (${sql.raw(quoteList(columns.map((column) => column.name)))})
    select * from unnest(${sql.join(values)})`.execute(transaction);
}

/** @throws {StartupError} if a table differs; the next run then starts over */
async function compare(
  target: Database,
  tables: readonly Table[],
  summaries: TableSummaries,
  report: Copy['report'],
): Promise<void> {
  const differentTable = await target
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      for (const table of tables) {
        const summary = createSummary(table);
        for await (const batch of streamPostgresRows(transaction, table)) {
          for (const row of batch) summary.add(row);
          report({ step: 'checking', table: table.name, rows: summary.result().rows });
        }
        if (!isSameSummary(summary.result(), summaries.get(table.name))) return table.name;
      }
      return null;
    });
  if (differentTable === null) return;
  await discardProgress(target);
  throw new StartupError(
    `table "${differentTable}" in PostgreSQL differs from the original. Another program has changed it: stop that, then run this command again, which starts over.`,
  );
}
