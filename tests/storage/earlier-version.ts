// A database as an earlier version left it, for the tests of migrations.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { loadConfig } from '#server/config/config.ts';
import { createLog } from '#server/base/log.ts';
import { createPostgresDialect } from '#server/store/dialects/postgres.ts';
import { openSqlite, createSqliteDialect } from '#server/store/dialects/sqlite.ts';
import { listMigrations } from '#server/store/migrations.ts';
import { unpackVersion } from '#tests/support/kept-versions.ts';
import { quoteSql, type TestDatabase } from '#tests/support/test-database.ts';

export function openUnmigrated(database: TestDatabase): Kysely<unknown> {
  const config = loadConfig({ ...database.settings }).database;
  const dialect =
    config.kind === 'sqlite'
      ? createSqliteDialect(openSqlite(config.file))
      : createPostgresDialect(config.url, createLog({ write: () => {} }), false);
  return new Kysely<unknown>({ dialect });
}

/**
 * Migrates the empty database as far as the version did, and fills it.
 *
 * @param last the number of that version's last migration
 */
export async function createEarlierVersion(
  database: TestDatabase,
  last: string,
  rows: readonly string[],
): Promise<void> {
  const { kind } = loadConfig({ ...database.settings }).database;
  const db = openUnmigrated(database);
  const earlierMigrations = Object.entries(listMigrations(kind)).filter(
    ([name]) => name.slice(0, 4) <= last,
  );
  const provider = { getMigrations: async () => Object.fromEntries(earlierMigrations) };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  await db.destroy();
  if (error instanceof Error) throw error;
  for (const sql of rows) await database.query(sql);
}

/** Fills the empty database with what a released version wrote. Such a version also ran on PostgreSQL. */
export async function loadVersion(database: TestDatabase, version: string): Promise<void> {
  const { DATA_DIR, DATABASE_URL } = database.settings;
  const file = join(DATA_DIR, DATABASE_URL === undefined ? 'backchannel.sqlite' : 'kept');
  unpackVersion(version, file, join(DATA_DIR, 'images'));
  if (DATABASE_URL === undefined) return;
  const kept = new SQLite(file, { readonly: true });
  const migrations = kept.prepare('select max(name) from kysely_migration').pluck().get() as string;
  const names = kept
    .prepare(`select name from sqlite_schema where type = 'table' and name not like 'kysely%'`)
    .pluck()
    .all() as string[];
  const inserts = names.flatMap((name) =>
    kept
      .prepare<[], Record<string, unknown>>(`select * from "${name}"`)
      .all()
      .map((row) => {
        const columns = Object.keys(row).map((column) => `"${column}"`);
        const values = Object.values(row).map((value) =>
          value === null ? 'null' : quoteSql(String(value)),
        );
        return `insert into "${name}" (${columns.join()}) values (${values.join()})`;
      }),
  );
  kept.close();
  rmSync(file);
  // The order of the tables is not that of their references.
  const off = 'set session_replication_role = replica';
  await createEarlierVersion(database, migrations.slice(0, 4), [off, ...inserts]);
  await database.query('set session_replication_role = origin');
}
