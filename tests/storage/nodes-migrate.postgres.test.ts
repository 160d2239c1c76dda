// Nodes of two versions on one database.
import { Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { describe, expect, test } from 'vitest';
import { createLog } from '#server/log.ts';
import type { Tables } from '#server/storage/database.ts';
import { postgresDialect } from '#server/storage/dialects/postgres.ts';
import { migrations } from '#server/storage/migrations.ts';
import { redisCommand, setUpNodes } from '#tests/support/nodes.ts';

describe.skipIf(!redisCommand)('two nodes', () => {
  const nodes = setUpNodes(2);

  test('that start together migrate an empty database once [NODE-17]', async () => {
    const applied = await nodes.database.query('select name from kysely_migration order by name');
    expect(applied.map(({ name }) => name)).toEqual(Object.keys(migrations('postgres')));
  });

  test('go on while a newer version migrates the database, and cannot start after that [NODE-17, START-7]', async () => {
    const url = nodes.database.settings.DATABASE_URL ?? '';
    const dialect = postgresDialect(url, createLog({ write() {} }), false);
    const db = new Kysely<Tables>({ dialect });
    const student = await nodes.apps[0]!.newStudent();
    const classId = await student.createClass();
    const socket = await student.connectTo(classId);
    const newest = {
      async up(tx: Kysely<unknown>) {
        await sql`alter table classes add column "ofTheNextVersion" text`.execute(tx);
      },
    };
    const getMigrations = async () => ({ ...migrations('postgres'), '9999-newest': newest });
    expect(await new Migrator({ db, provider: { getMigrations } }).migrateToLatest()).toMatchObject(
      { results: [{ migrationName: '9999-newest', status: 'Success' }] },
    );
    await db.destroy();
    expect(await socket.post(classId, 'after it')).toMatchObject({ type: 'ack' });
    await nodes.at(1, student).createClass({ courseNumber: '7' });
    await expect(nodes.apps[1]!.restart()).rejects.toThrow('a newer version');
  });
});
