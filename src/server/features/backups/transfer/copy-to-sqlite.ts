// Copies a PostgreSQL database into a new SQLite file, next to a running server.
import { closeSync, openSync, rmSync } from 'node:fs';
import SQLite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { StartupError } from '#server/base/startup-failure.ts';
import type { Tables } from '#server/store/tables.ts';
import { createSqliteDialect } from '#server/store/dialects/sqlite.ts';
import { excludeMigrations, findEarlierVersion, migrate } from '#server/store/migrations.ts';
import type { TransferReport, TableSummaries } from './copy-to-postgres.ts';
import { streamPostgresRows, streamSqliteRows } from './read-tables.ts';
import type { TableSummary } from '#server/store/transfer-progress.ts';
import { createSummary, isSameSummary, toSqlite } from './rows.ts';
import { describeTables, quoteList, type Table } from './tables.ts';

/**
 * Reads in one transaction, which blocks no writer. The file contains the rows in the order of their keys, as a copy by
 * `VACUUM INTO` does.
 *
 * @param source of this version or an earlier one; the copy is of the same version
 * @param file must exist and be empty
 * @throws {StartupError}
 */
export async function copyToSqlite(
  source: Kysely<Tables>,
  file: string,
  report: (report: TransferReport) => void,
): Promise<void> {
  const unsorted = `${file}.unsorted`;
  const remove = () => {
    for (const part of ['', '-wal', '-shm']) rmSync(unsorted + part, { force: true });
  };
  remove();
  closeSync(openSync(unsorted, 'wx', 0o600));
  const target = new SQLite(unsorted);
  try {
    // A crash leaves nothing to repair: the file is then deleted.
    target.pragma('journal_mode = off');
    target.pragma('synchronous = off');
    const [tables, summaries] = await excludeMigrations(source, async (reader) => {
      const last = await findEarlierVersion(reader, 'postgres');
      await migrate(
        new Kysely<Tables>({ dialect: createSqliteDialect(target) }),
        'sqlite',
        last === null ? {} : { last },
      );
      return copyRows(reader, target, report);
    });
    // The cells of the indexes are in the order of insertion. SQLite rewrites them in the order of their keys.
    target.prepare('vacuum into ?').run(file);
    compare(file, tables, summaries, report);
  } finally {
    target.close();
    remove();
  }
}

function copyRows(
  source: Kysely<Tables>,
  target: SQLite.Database,
  report: (report: TransferReport) => void,
): Promise<[Table[], TableSummaries]> {
  return source
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const tables = await describeTables(target, transaction);
      const summaries = new Map<string, TableSummary>();
      target.exec('begin');
      for (const table of tables) {
        const names = table.columns.map(({ name }) => name);
        const insert = target.prepare(
          `insert into "${table.name}" (${quoteList(names)}) values (${names.map(() => '?').join(', ')})`,
        );
        target.exec(`delete from "${table.name}"`);
        const summary = createSummary(table);
        for await (const batch of streamPostgresRows(transaction, table)) {
          for (const row of batch) {
            summary.add(row);
            insert.run(...toSqlite(table.columns, row));
          }
          report({ step: 'copying', table: table.name, rows: summary.result().rows });
        }
        summaries.set(table.name, summary.result());
      }
      target.exec('commit');
      return [tables, summaries];
    });
}

/** @throws {StartupError} */
function compare(
  file: string,
  tables: readonly Table[],
  summaries: TableSummaries,
  report: (report: TransferReport) => void,
): void {
  const copy = new SQLite(file, { readonly: true });
  try {
    for (const table of tables) {
      const summary = createSummary(table);
      for (const batch of streamSqliteRows(copy, table)) {
        for (const row of batch) summary.add(row);
        report({ step: 'checking', table: table.name, rows: summary.result().rows });
      }
      if (isSameSummary(summary.result(), summaries.get(table.name))) continue;
      throw new StartupError(
        `table "${table.name}" in the copy differs from the database. Check the disk, then try again.`,
      );
    }
  } finally {
    copy.close();
  }
}
