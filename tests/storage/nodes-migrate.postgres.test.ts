// Nodes of two versions on one database.
import { Kysely, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { createLog } from '#server/base/log.ts';
import { lockPostgres } from '#server/store/dialects/postgres-lock.ts';
import { openStore } from '#server/store/open-store.ts';
import type { Tables } from '#server/store/tables.ts';
import { createPostgresDialect } from '#server/store/dialects/postgres.ts';
import { excludeMigrations, migrate, listMigrations } from '#server/store/migrations.ts';
import { createEarlierVersion } from './earlier-version.ts';
import { openStorage, testKeys } from './opened-storage.ts';
import { connectToPostgres, createTestDatabase } from '#tests/support/test-database.ts';
import { redisCommand, setUpNodes } from '#tests/support/nodes.ts';

test('a migration waits for a backup before it locks a table [NODE-17]', async () => {
  const storage = await openStorage();
  let isChanged = false;
  const newest = {
    async up() {
      isChanged = true;
    },
  };
  const allMigrations = { ...listMigrations('postgres'), '9999-newest': newest };

  let migrated = Promise.resolve();
  await excludeMigrations(storage.db, async () => {
    const waited = Promise.withResolvers<void>();
    migrated = migrate(storage.db, 'postgres', {
      migrations: allMigrations,
      onWaiting: waited.resolve,
    });
    await waited.promise;
    expect(isChanged).toBe(false);
  });

  await migrated;
  expect(isChanged).toBe(true);

  await storage.close();
});

test('An upgrade from version 0.3.0 is rejected while a node runs, and other nodes can start after it [NODE-17]', async () => {
  const database = await createTestDatabase();
  await createEarlierVersion(database, '0075', []);
  const log = createLog({ write: () => {} });
  const url = database.settings.DATABASE_URL ?? '';
  const cleanup = new AsyncDisposableStack();
  const openNode = () =>
    openStore(cleanup, {
      config: { database: { kind: 'postgres', url }, redisUrl: 'redis://127.0.0.1' },
      keys: testKeys,
      backUpBeforeMigration: async () => {},
      log,
    });
  const earlierNode = await lockPostgres(url, log, 'node');

  await expect(openNode()).rejects.toThrow('Stop all nodes');

  expect(await database.tables()).toHaveProperty('enrollments');
  await earlierNode.release();
  await openNode();
  expect(await database.tables()).not.toHaveProperty('enrollments');
  await openNode();

  await cleanup.disposeAsync();
  await database.drop();
});

describe.skipIf(!redisCommand)('two nodes', () => {
  const nodes = setUpNodes(2);

  test('two nodes that start together migrate an empty database once [NODE-17]', async () => {
    const applied = await nodes.database.query(
      `select name from kysely_migration where name <> '9999-newest' order by name`,
    );

    expect(applied.map(({ name }) => name)).toEqual(Object.keys(listMigrations('postgres')));
  });

  test('running nodes continue while a newer version migrates the database, and cannot start after that [NODE-17, START-7]', async () => {
    const url = nodes.database.settings.DATABASE_URL ?? '';
    const dialect = createPostgresDialect(url, createLog({ write() {} }), false);
    const db = new Kysely<Tables>({ dialect });
    const student = await nodes.apps[0]!.createStudent();
    const classId = await student.createClass();
    const socket = await student.connectTo(classId);
    const applied = `select from kysely_migration where name = '9999-newest'`;
    const newest = {
      async up(tx: Kysely<unknown>) {
        await sql`alter table classes add column "ofTheNextVersion" text`.execute(tx);
      },
    };
    // As a backup, `pg_dump` or an open psql do.
    const reader = await connectToPostgres(url);
    await reader.query('begin isolation level repeatable read read only');
    await reader.query('select count(*) from classes');
    const waited = Promise.withResolvers<void>();
    const allMigrations = { ...listMigrations('postgres'), '9999-newest': newest };
    const migrated = migrate(db, 'postgres', {
      migrations: allMigrations,
      onWaiting: waited.resolve,
    });
    await waited.promise;

    expect(await socket.post(classId, 'while the migration waits')).toMatchObject({ type: 'ack' });

    await nodes.at(1, student).createClass({ courseNumber: '6' });
    expect(await nodes.database.query(applied)).toEqual([]);

    await reader.end();
    await migrated;
    expect(await nodes.database.query(applied)).toHaveLength(1);

    await db.destroy();
    expect(await socket.post(classId, 'after it')).toMatchObject({ type: 'ack' });

    await nodes.at(1, student).createClass({ courseNumber: '7' });
    await expect(nodes.apps[1]!.restart()).rejects.toThrow('a newer version');
  });
});
