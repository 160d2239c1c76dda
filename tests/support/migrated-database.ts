// Databases for tests that do not concern a first start. Migrating an empty one costs more than the rest of a start.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createLog } from '#server/base/log.ts';
import { createSecret } from '#server/base/server-keys.ts';
import { openMigrated } from '#server/store/open-database.ts';
import {
  createTestDatabase,
  openFileDatabase,
  createDataFolder,
  type TestDatabase,
} from './test-database.ts';

/** The bytes of a migrated SQLite file. It has no key check and no epoch: each server that opens a copy writes its own. */
let template: Promise<Buffer> | undefined;

export async function createMigratedDatabase(): Promise<TestDatabase> {
  // On PostgreSQL, a copy is not cheaper than the migrations.
  if (process.env['BACKCHANNEL_TEST_DATABASE']) return createTestDatabase();
  const folder = createDataFolder();
  writeFileSync(join(folder, 'backchannel.sqlite'), await (template ??= createTemplate()));
  // The server writes no key next to a database.
  writeFileSync(join(folder, 'server.key'), `${createSecret()}\n`, { mode: 0o600 });
  return openFileDatabase(folder);
}

async function createTemplate(): Promise<Buffer> {
  const folder = createDataFolder();
  const file = join(folder, 'template.sqlite');
  const db = await openMigrated({ kind: 'sqlite', file }, null, createLog({ write() {} }));
  // Tests that look for erased bytes find none of the migrations.
  await sql`vacuum`.execute(db);
  await db.destroy();
  const bytes = readFileSync(file);
  rmSync(folder, { recursive: true });
  return bytes;
}
