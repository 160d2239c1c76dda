// A database as an earlier version left it, for the tests of migrations.
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { loadConfig } from '#server/config/config.ts';
import { createLog } from '#server/base/log.ts';
import { createPostgresDialect } from '#server/store/dialects/postgres.ts';
import { openSqlite, createSqliteDialect } from '#server/store/dialects/sqlite.ts';
import { listMigrations } from '#server/store/migrations.ts';
import type { TestDatabase } from '#tests/support/test-database.ts';

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
