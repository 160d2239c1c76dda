// Test databases have hostile settings (tests/support/test-database.ts), so all tests on PostgreSQL rely on this rule.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '#server/base/log.ts';
import { lockPostgres } from '#server/store/dialects/postgres-lock.ts';
import { rejectSharedSession } from '#server/store/dialects/postgres-pooler.ts';
import {
  connectToPostgres,
  createTestDatabase,
  type TestDatabase,
} from '#tests/support/test-database.ts';
import { vacuumTable } from '#server/store/erasure/vacuum.ts';
import { openStorage } from './opened-storage.ts';

const silentLog = createLog({ write: () => {} });
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function listSettings(target: TestDatabase, ...names: string[]): Promise<string[]> {
  const storage = await openStorage(target);
  const { rows } = await sql<{ value: string }>`
    select current_setting(name) as value from unnest(${names}::text[]) as name`.execute(
    storage.db,
  );
  await storage.close();
  return rows.map(({ value }) => value);
}

test('a session sets what the server depends on, whatever the database says [START-22]', async () => {
  const names = ['synchronous_commit', 'transaction_isolation', 'transaction_read_only'];

  expect(await listSettings(database, ...names, 'idle_session_timeout', 'lock_timeout')).toEqual([
    'on',
    'read committed',
    'off',
    '0',
    '0',
  ]);
});

test('a vacuum that fails leaves its connection with the timeout of all others [START-22]', async () => {
  const storage = await openStorage(database);
  const getTimeout = async () => {
    const { rows } = await sql<{ value: string }>`
      select current_setting('statement_timeout') as value`.execute(storage.db);
    return rows[0]?.value;
  };
  const timeoutBefore = await getTimeout();

  await expect(vacuumTable(storage.db, 'noSuchTable')).rejects.toThrow('noSuchTable');

  expect(await getTimeout()).toBe(timeoutBefore);

  await storage.close();
});

test('a session keeps the setting of an administrator who waits for a standby [START-22]', async () => {
  const otherDatabase = await createTestDatabase();
  const name = new URL(otherDatabase.settings.DATABASE_URL ?? '').pathname.slice(1);
  await otherDatabase.query(`alter database ${name} set synchronous_commit = remote_apply`);

  expect(await listSettings(otherDatabase, 'synchronous_commit')).toEqual(['remote_apply']);

  await otherDatabase.drop();
});

test('the server does not start if its tables are in a schema that it does not search [START-23]', async () => {
  const otherDatabase = await createTestDatabase();
  await otherDatabase.query('create schema hidden');
  await otherDatabase.query('create table hidden."serverMetadata" (name text)');

  await expect(
    lockPostgres(otherDatabase.settings.DATABASE_URL ?? '', silentLog, 'server'),
  ).rejects.toThrow('the schema "hidden"');

  await otherDatabase.drop();
});

test('a commit does not wait while reads occupy all their connections [START-24]', async () => {
  const storage = await openStorage(database);
  const holder = await connectToPostgres(database.settings.DATABASE_URL);

  await holder.query('select pg_advisory_lock(1)');
  const reads = Array.from({ length: 20 }, () =>
    sql`select pg_advisory_xact_lock_shared(1)`.execute(storage.db),
  );
  const waiting = `select from pg_locks where locktype = 'advisory' and objid = 1 and not granted`;
  await expect.poll(() => database.query(waiting)).toHaveLength(10);

  const committed = await storage.commits.write(async () => 'committed', 'independent');

  expect(committed).toBe('committed');
  expect(await database.query(waiting)).toHaveLength(10);

  await holder.end();
  await Promise.all(reads);
  await storage.close();
});

test('the process of a direct connection identifies it without a second connection [START-20]', async () => {
  const client = await connectToPostgres(database.settings.DATABASE_URL);
  const isDirect = rejectSharedSession(client, 'postgres://nobody@127.0.0.1:9/none');

  await expect(isDirect).resolves.toBeUndefined();

  await client.end();
});
