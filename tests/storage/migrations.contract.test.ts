import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '#server/config/config.ts';
import { getToday } from '#server/base/days.ts';
import { createLog } from '#server/base/log.ts';
import { seal } from '#server/base/seal.ts';
import { computeKeyCheck, deriveServerKeys, type ServerKeys } from '#server/base/server-keys.ts';
import { listMembers } from '#server/chat/members/memberships.ts';
import { openMigrated } from '#server/store/open-database.ts';
import { migrate, listMigrations } from '#server/store/migrations.ts';
import { listDueImages } from '#server/chat/messages/attachment-queries.ts';
import { listMessages } from '#server/chat/messages/messages-queries.ts';
import { listQueuedClasses } from '#server/chat/classes/search-index-queue-queries.ts';
import { findMetadata } from '#server/store/server-metadata-queries.ts';
import { keptVersionsFolder, unpackVersion } from '#tests/support/kept-versions.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';
import { createEarlierVersion } from './earlier-version.ts';
import { addAccount, openStorage, testKeys, type OpenedStorage } from './opened-storage.ts';

let storage: OpenedStorage;
beforeEach(async () => {
  storage = await openStorage();
});
afterEach(() => storage.close());

test('an empty database gets every table, and a second run changes nothing [START-10]', async () => {
  const tablesBefore = await storage.database.tables();
  expect(Object.keys(tablesBefore)).toEqual(
    expect.arrayContaining(['accounts', 'classes', 'registers', 'personas', 'messages', 'log']),
  );

  await migrate(storage.db, storage.kind);
  expect(await storage.database.tables()).toEqual(tablesBefore);
});

test('the data of an earlier version keeps its meaning under new names [LOG-80]', async () => {
  const database = await createTestDatabase();
  const toImageSql = (id: string, keptUntil: string) =>
    `insert into images ("imageId", "classId", "memberId", digest, bytes, shape, "keptUntil")
     values ('${id}', 'c', 'm', 'd', 1, '{}', ${keptUntil})`;
  await createEarlierVersion(database, '0015', [
    `insert into facts values ('keyCheck', '${computeKeyCheck(testKeys)}'), ('epoch', 'the same epoch')`,
    `insert into "searchDue" values ('c', 3)`,
    `insert into classes ("classId", seq, ordinal, salt, status, "memberCount", "createdDay")
     values ('c', 0, 0, 's', 'active', 0, 20000)`,
    ...[toImageSql('expired', '2000'), toImageSql('unsent', '9000'), toImageSql('older', '1000')],
    ...[toImageSql('sent', 'null'), toImageSql('removed', '0')],
  ]);
  const migratedStorage = await openStorage(database);

  expect(migratedStorage.epoch).toBe('the same epoch');
  expect(await findMetadata(migratedStorage.db, 'keyCheck')).toBe(computeKeyCheck(testKeys));
  expect(await listQueuedClasses(migratedStorage.db, 10)).toEqual([{ classId: 'c', change: 3 }]);

  const tables = await database.tables();
  expect(tables).not.toHaveProperty('facts');
  expect(tables).not.toHaveProperty('searchDue');

  const states = tables['images']!.map(({ imageId, status, expiresAt }) => {
    return [imageId, `${String(status)} ${String(expiresAt)}`];
  });
  expect(Object.fromEntries(states)).toEqual({
    expired: 'unsent 2000',
    unsent: 'unsent 9000',
    older: 'unsent 1000',
    sent: 'sent null',
    removed: 'deleted null',
  });

  const due = await listDueImages(migratedStorage.db, 5000, 10);
  expect(due.map(({ imageId }) => imageId)).toEqual(['removed', 'older', 'expired']);

  await migratedStorage.close();
  await database.drop();
});

test('classes of an earlier version get the year of their term [ADMIN-22]', async () => {
  const database = await createTestDatabase();
  const toDay = (date: string) => Date.parse(date) / 86_400_000;
  const rows = [
    ['fall', `'Fall'`, toDay('2025-11-30')],
    ['early', `'Spring'`, toDay('2025-10-01')],
    ['late', `'Spring'`, toDay('2026-02-01')],
    ['none', 'null', toDay('2024-06-01')],
  ] as const;
  await createEarlierVersion(
    database,
    '0027',
    rows.map(
      ([id, season, created]) =>
        `insert into classes
           ("classId", seq, ordinal, salt, status, "memberCount", "semesterSeason", "createdDay")
         values ('${id}', 0, 0, 's', 'active', 0, ${season}, ${created})`,
    ),
  );
  const migratedStorage = await openStorage(database);

  const classes = (await database.tables())['classes']!;

  expect(Object.fromEntries(classes.map(({ classId, year }) => [classId, year]))).toEqual({
    fall: 2025,
    early: 2026,
    late: 2026,
    none: 2024,
  });

  await migratedStorage.close();
  await database.drop();
});

test('the unkeyed digests of an earlier version are cleared [ANON-38]', async () => {
  const database = await createTestDatabase();
  await createEarlierVersion(database, '0014', [
    `insert into facts values ('keyCheck', '${computeKeyCheck(testKeys)}'), ('epoch', 'the same epoch')`,
    `insert into classes ("classId", seq, ordinal, salt, status, "memberCount", "createdDay")
     values ('c', 0, 0, 's', 'active', 0, 20000)`,
    `insert into messages ("classId", seq, ordinal, id, "memberId", text, digest, "createdAt", deleted)
     values ('c', 1, 1, 'm', 'a', 'yes', 'of yes', 1, 0)`,
  ]);
  const migratedStorage = await openStorage(database);

  expect((await database.tables())['messages']).toMatchObject([{ text: 'yes', digest: '' }]);

  await migratedStorage.close();
  await database.drop();
});

test('The readable numbers of waiting work of an earlier version are deleted [ANON-22]', async () => {
  const database = await createTestDatabase();
  await createEarlierVersion(database, '0075', [
    `insert into "serverMetadata" values ('keyCheck', '${computeKeyCheck(testKeys)}'), ('epoch', 'the same epoch'), ('waitingWork', '{}')`,
  ]);
  const migratedStorage = await openStorage(database);

  const names = (await database.tables())['serverMetadata']!.map(({ name }) => name);
  expect(names).toContain('epoch');
  expect(names).not.toContain('waitingWork');

  await migratedStorage.close();
  await database.drop();
});

test('a message of an earlier version gets a list of its one picture [PIC-71]', async () => {
  const database = await createTestDatabase();
  const picture = `{"imageId":"AAAAAAAAAAAAAAAA","width":4,"height":3,"placeholder":"","animated":false,"alt":"A ''board''"}`;
  const toMessageSql = (seq: number, image: string, isDeleted = 0) =>
    `insert into messages ("classId", seq, ordinal, id, "memberId", text, image, digest, "createdAt", deleted)
     values ('c', ${seq}, ${seq}, 'm${seq}', 'a', '', ${image}, '', 1, ${isDeleted})`;
  await createEarlierVersion(database, '0018', [
    `insert into "serverMetadata" values ('keyCheck', '${computeKeyCheck(testKeys)}'), ('epoch', 'the same epoch')`,
    `insert into classes ("classId", seq, ordinal, salt, status, "memberCount", "createdDay")
     values ('c', 3, 3, 's', 'active', 0, 20000)`,
    ...[toMessageSql(1, `'${picture}'`), toMessageSql(2, 'null'), toMessageSql(3, 'null', 1)],
  ]);
  const migratedStorage = await openStorage(database);

  const messages = await listMessages(migratedStorage.db, 'c', 9, 9);

  const expectedImage = {
    imageUrl: '/images/AAAAAAAAAAAAAAAA.webp',
    width: 4,
    height: 3,
    alt: "A 'board'",
    thumbUrl: '/images/AAAAAAAAAAAAAAAA.small.webp',
  };
  expect(messages).toMatchObject([
    { storagePath: 'images/AAAAAAAAAAAAAAAA.webp', images: [expectedImage] },
    { storagePath: null, images: [] },
  ]);

  await migratedStorage.close();
  await database.drop();
});

/** A database of version 0.3.0 with two members of a class: one row as it stored them, and one of a version before. */
async function createEnrollments(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  const content = seal(testKeys.times, '{"createdAt":1641168000000,"notify":"all"}', {
    padTo: 64,
    context: 'enrolment ada c',
  });
  await createEarlierVersion(database, '0086', [
    `insert into "serverMetadata" values ('keyCheck', '${computeKeyCheck(testKeys)}'), ('epoch', 'the same epoch')`,
    ...['ada', 'ben'].map(
      (id) => `insert into accounts (id, email, "emailVerified", name, "createdAt", "updatedAt")
        values ('${id}', '${id}@university.edu', '1', '', '2030-01-01', '2030-01-01')`,
    ),
    ...['c', 'd'].map(
      (
        id,
      ) => `insert into classes ("classId", seq, ordinal, salt, status, "memberCount", "createdDay")
        values ('${id}', 0, 0, 's', 'active', 1, 20000)`,
    ),
    `insert into enrollments ("accountId", "classId", content, "joinedDay", notify)
     values ('ada', 'c', '${content}', 0, null), ('ben', 'c', null, 18000, 'none'), ('ben', 'd', 'of another key', 0, null)`,
  ]);
  return database;
}

test('the members of an earlier version keep their days and choices, encrypted in one register for each class [ANON-63, JOIN-10]', async () => {
  const database = await createEnrollments();
  const migratedStorage = await openStorage(database);

  const listMembersOf = (classId: string) =>
    listMembers(migratedStorage.db, testKeys.personas, classId);
  expect(await listMembersOf('c')).toEqual(
    new Map([
      ['ada', { joinedDay: 18_995, notify: 'all' }],
      ['ben', { joinedDay: 18_000, notify: 'none' }],
    ]),
  );
  expect(await listMembersOf('d')).toEqual(new Map([['ben', { joinedDay: getToday() }]]));
  expect(await database.tables()).not.toHaveProperty('enrollments');

  await migratedStorage.close();
  await database.drop();
});

test('a migration with another server key changes nothing, and says what to do [ANON-63]', async () => {
  const database = await createEnrollments();
  const open = (keys: ServerKeys | null) =>
    openMigrated(
      loadConfig({ ...database.settings }).database,
      keys,
      createLog({ write: () => {} }),
    );

  await expect(open(deriveServerKeys('another key'))).rejects.toThrow('another server key');
  expect(await database.query('select "accountId" from enrollments')).toHaveLength(3);

  // After the loss of the key, the classes have no members.
  const migrated = await open(null);
  expect(await migrated.selectFrom('registers').selectAll().execute()).toEqual([]);
  await migrated.destroy();
  await database.drop();
});

test('an account without a password frees its address [AUTH-62]', async () => {
  const incompleteId = await addAccount(storage);
  const completeId = await addAccount(storage);
  await storage.database.query(
    `insert into credentials ("id", "accountId", "providerId", "userId", "createdAt", "updatedAt")
     values ('c', '${completeId}', 'credential', '${completeId}', '2030-01-01', '2030-01-01')`,
  );
  const { up } = listMigrations(storage.kind)['0010-credentials']!;
  await up(storage.db);

  const accounts = await storage.database.query('select id from accounts');

  expect(accounts).toEqual([{ id: completeId }]);
  expect(accounts).not.toContainEqual({ id: incompleteId });
});

test('a database keeps its epoch when it is opened again', async () => {
  const reopenedStorage = await openStorage(storage.database);

  expect(reopenedStorage.epoch).toBe(storage.epoch);

  await reopenedStorage.close();
});

test('released migrations keep their names and their order [UPGRADE-2]', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'backchannel-kept-')), 'kept');
  for (const version of readdirSync(keptVersionsFolder)) {
    unpackVersion(version, file);
    const database = new SQLite(file, { readonly: true });
    const released = database
      .prepare('select name from kysely_migration order by name')
      .pluck()
      .all();
    database.close();

    expect(released.length).toBeGreaterThan(10);
    for (const engine of ['sqlite', 'postgres'] as const) {
      const names = Object.keys(listMigrations(engine));
      expect(names.slice(0, released.length)).toEqual(released);
      // The numbers order them. A database has applied all that are before its last one.
      expect(names).toEqual(names.toSorted());
    }
  }
  rmSync(dirname(file), { recursive: true });
});

test('the server rejects a database of a newer version [START-7]', async () => {
  await storage.database.query(
    "insert into kysely_migration values ('9999-from-tomorrow', '2030-01-01')",
  );

  await expect(openStorage(storage.database)).rejects.toThrow('newer version');
});
