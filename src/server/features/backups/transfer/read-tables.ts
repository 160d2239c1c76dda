// Reads the rows of a table of either engine in batches, so that memory stays bounded.
import type SQLite from 'better-sqlite3';
import { sql } from 'kysely';
import { StartupError } from '#server/base/startup-failure.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import type { Row } from '#server/store/transfer-progress.ts';
import { toRow, UnsupportedValue } from './rows.ts';
import { quoteList, type Table } from './tables.ts';

const maxBatchRows = 1000;
/** PostgreSQL sends whole batches, and their length is unknown before the first one. */
const firstBatchRows = 50;
/** The maximum in UTF-16 code units. The last row can exceed it. */
const maxBatchLength = 1 << 20;

/**
 * Reads the rows in the order of the primary key, which does not reveal the order in which people joined.
 *
 * @param lastRow the primary key of the last row that was read before
 * @throws {StartupError} for a value that only one of the engines can store
 */
export function* streamSqliteRows(
  database: SQLite.Database,
  table: Table,
  lastRow: Row | null = null,
): Generator<Row[]> {
  const { name, columns, primaryKey } = table;
  const names = columns.map((column) => column.name);
  const key = quoteList(primaryKey);
  const placeholders = primaryKey.map(() => '?').join(', ');
  const select = (condition: string) =>
    database
      .prepare(
        `select ${quoteList(names)} from "${name}" ${condition} order by ${key} limit ${maxBatchRows}`,
      )
      .raw();
  const first = select('');
  const next = select(`where (${key}) > (${placeholders})`);
  for (let last = lastRow; ;) {
    const batch: Row[] = [];
    let length = 0;
    // An open iterator blocks the database handle, so the iterator ends before the batch is passed on.
    for (const raw of last ? next.iterate(...last) : first.iterate()) {
      const row = parseRow(table, raw as unknown[]);
      batch.push(row);
      length += countCharacters(row);
      if (length > maxBatchLength) break;
    }
    const end = batch.at(-1);
    if (!end) return;
    last = toPrimaryKey(table, end);
    yield batch;
  }
}

function parseRow(table: Table, raw: readonly unknown[]): Row {
  try {
    return toRow(table.columns, raw);
  } catch (error) {
    if (!(error instanceof UnsupportedValue)) throw error;
    throw new StartupError(
      `column "${error.column}" of table "${table.name}" has a value that only one engine can store, such as a NUL character or a value of another type. Correct it, then try again.`,
    );
  }
}

function countCharacters(row: Row): number {
  return row.reduce(
    (sum: number, value) => sum + (typeof value === 'string' ? value.length : 8),
    0,
  );
}

/** The values of the primary key. */
export function toPrimaryKey({ columns, primaryKey }: Table, row: Row): Row {
  return primaryKey.map((name) => row[columns.findIndex((column) => column.name === name)] ?? null);
}

/**
 * Reads the rows in the order of the primary key.
 *
 * @throws {StartupError} for a value that only one of the engines can store
 */
export async function* streamPostgresRows(
  transaction: DatabaseTransaction,
  table: Table,
): AsyncGenerator<Row[]> {
  const { name, columns, primaryKey } = table;
  const names = columns.map((column) => column.name);
  await sql`declare transfer no scroll cursor for
    select ${sql.raw(quoteList(names))} from ${sql.table(name)} order by ${sql.raw(quoteList(primaryKey))}`.execute(
    transaction,
  );
  for (let count = firstBatchRows; ;) {
    const { rows } = await sql<Record<string, unknown>>`
      fetch ${sql.raw(String(count))} from transfer`.execute(transaction);
    if (rows.length === 0) break;
    const batch = rows.map((row) => {
      const raw = names.map((column) => row[column]);
      return parseRow(table, raw);
    });
    const averageLength = batch.reduce((sum, row) => sum + countCharacters(row), 0) / batch.length;
    count = Math.floor(Math.max(1, Math.min(maxBatchRows, maxBatchLength / averageLength)));
    yield batch;
  }
  await sql`close transfer`.execute(transaction);
}
