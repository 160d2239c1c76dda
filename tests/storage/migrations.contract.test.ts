import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { defaultSettings, type AccountRecord } from '#server/accounts/account-records.ts';
import { hasEnded } from '#server/accounts/session-records.ts';
import { loadConfig } from '#server/config/config.ts';
import { getToday } from '#server/base/days.ts';
import { createLog } from '#server/base/log.ts';
import { seal, unseal } from '#server/base/seal.ts';
import { computeKeyCheck, deriveServerKeys, type ServerKeys } from '#server/base/server-keys.ts';
import { listRoles } from '#server/chat/staff/stored-roles.ts';
import { listMembers } from '#server/chat/members/memberships.ts';
import { openMigrated } from '#server/store/open-database.ts';
import { migrate, listMigrations } from '#server/store/migrations.ts';
import { keptVersionsFolder, unpackVersion } from '#tests/support/kept-versions.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';
import { createEarlierVersion, openUnmigrated } from './earlier-version.ts';
import {
  accountRecords,
  addAccount,
  addSession,
  openStorage,
  sessionRecords,
  testKeys,
  type OpenedStorage,
} from './opened-storage.ts';

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
    `insert into roles values ('ada', 'c', 'moderator', 'Sam')`,
  ]);
  return database;
}

test('the members of an earlier version keep their days and choices, encrypted in one register for each class [ANON-63, JOIN-4]', async () => {
  const database = await createEnrollments();
  const migratedStorage = await openStorage(database);

  const listMembersOf = (classId: string) => listMembers(migratedStorage, classId);
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

  // After the loss of the key, the classes have no members, and no one has a role.
  const migrated = await open(null);
  expect(await migrated.selectFrom('registers').selectAll().execute()).toEqual([]);
  await migrated.destroy();
  await database.drop();
});

const plainDate = '2026-03-01T00:00:00.000Z';
const plainDay = Date.parse(plainDate) / 86_400_000;
const epoch = 'the same epoch';

/** An account of 0.3.0 with encrypted values, one of an earlier version with plain ones, and one that lacks a password. */
function createEarlierAccounts(keyCheck = computeKeyCheck(testKeys)): string[] {
  const { earlier, times, notifications } = testKeys;
  const sealed = {
    times: seal(times, JSON.stringify({ createdAt: plainDay * 86_400_000 }), {
      context: 'account sealed',
    }),
    lastUse: seal(
      earlier.accountUse,
      JSON.stringify({ month: 24_300, goesDay: null, isReminded: false }),
      { context: `${epoch} sealed` },
    ),
    settings: seal(earlier.settings, JSON.stringify({ digest: true }), { context: 'sealed' }),
    password: seal(earlier.passwords, '$argon2id$sealed', { padTo: 128 }),
    sessionTimes: seal(
      times,
      JSON.stringify({ createdAt: plainDay * 86_400_000, expiresAt: 4e12 }),
      { context: 'session hash of sealed' },
    ),
    push: seal(notifications.subscriptions, '{"endpoint":"x"}', { context: 'session-1' }),
  };
  const dates = `'${plainDate}', '${plainDate}'`;
  const toAccountSql = (id: string, values: string) =>
    `insert into accounts (id, email, name, "emailVerified", "createdAt", "updatedAt", "mailboxKey", times, "lastUse", notifications)
     values ('${id}', '${id}@university.edu', '', (1 = 1), ${dates}, 'mailbox of ${id}', ${values})`;
  const toPasswordSql = (id: string, password: string) =>
    `insert into credentials (id, "accountId", "providerId", "userId", password, "createdAt", "updatedAt")
     values ('${id}', '${id}', 'credential', '${id}', '${password}', ${dates})`;
  const toSessionSql = (id: string, accountId: string, sealedTimes: string, push: string) =>
    `insert into sessions (id, token, "userId", device, times, push, "createdAt", "updatedAt", "expiresAt")
     values ('${id}', 'hash of ${accountId}', '${accountId}', 'Firefox', ${sealedTimes}, ${push}, ${dates}, '2096-10-02T00:00:00.000Z')`;
  return [
    `insert into "serverMetadata" values ('keyCheck', '${keyCheck}'), ('epoch', '${epoch}')`,
    toAccountSql('sealed', `'${sealed.times}', '${sealed.lastUse}', '${sealed.settings}'`),
    toAccountSql('plain', 'null, null, null'),
    toAccountSql('lacking', 'null, null, null'),
    toPasswordSql('sealed', sealed.password),
    toPasswordSql('plain', '$argon2id$plain'),
    toSessionSql('session-1', 'sealed', `'${sealed.sessionTimes}'`, `'${sealed.push}'`),
    toSessionSql('session-2', 'plain', 'null', 'null'),
    `insert into roles values ('plain', '', 'operator', 'Sam')`,
  ];
}

test('accounts, passwords and sessions of earlier versions are encrypted in rows of one size, and stay as they were [UPGRADE-1]', async () => {
  const database = await createTestDatabase();
  await createEarlierVersion(database, '0086', createEarlierAccounts());
  const { db, site, close } = await openStorage(database);

  const accounts = await accountRecords.listById(db, ['sealed', 'plain', 'lacking']);
  const content = await database.content();
  const { accounts: rows, sessions, roles } = await database.tables();
  const storedRoles = await listRoles({ db, site }, 'plain');

  const expected = { createdDay: plainDay, emailVerified: true, lastUse: null };
  const toExpected = (id: string, passwordHash: string | null) => ({
    ...expected,
    id,
    passwordHash,
    email: `${id}@university.edu`,
    mailboxKey: `mailbox of ${id}`,
    settings: defaultSettings,
  });
  expect(accounts).toMatchObject([
    toExpected('lacking', null),
    toExpected('plain', '$argon2id$plain'),
    {
      ...toExpected('sealed', '$argon2id$sealed'),
      lastUse: { epoch, month: 24_300, goesDay: null, isReminded: false },
      settings: { ...defaultSettings, digest: true },
    },
  ]);
  expect(await accountRecords.find(db, 'Plain@university.edu')).toMatchObject({ id: 'plain' });
  for (const id of ['sealed', 'plain']) {
    const [session] = await sessionRecords.list(db, id);
    expect(session).toMatchObject({ id: `hash of ${id}`, createdDay: plainDay });
    expect(hasEnded(session!)).toBe(false);
  }
  const push = await sessionRecords.findSubscription(db, 'hash of sealed');
  expect(unseal(testKeys.notifications.subscriptions, push!, 'hash of sealed').trim()).toBe(
    '{"endpoint":"x"}',
  );
  const sizes = [...rows!, ...sessions!].map((row) => (row['content'] as Buffer).length);
  expect([...new Set(sizes)]).toHaveLength(2);
  expect(content).not.toMatch(/@university|argon2|Firefox/);
  expect(storedRoles).toEqual([{ classId: null, role: 'operator', staffName: 'Sam' }]);
  expect(roles).toBeUndefined();

  await close();
  await database.drop();
});

test('a start with another key changes no account of an earlier version [UPGRADE-1, START-5]', async () => {
  const database = await createTestDatabase();
  await createEarlierVersion(database, '0086', createEarlierAccounts('of another key'));
  const tablesBefore = await database.tables();

  await expect(openStorage(database)).rejects.toThrow('another server key');
  expect(await database.tables()).toEqual(tablesBefore);

  await database.drop();
});

test('a server that is killed while it encrypts accounts leaves the tables of the earlier version [UPGRADE-1]', async () => {
  const database = await createTestDatabase();
  await createEarlierVersion(database, '0086', createEarlierAccounts());
  const tablesBefore = await database.tables();
  const db = openUnmigrated(database);

  const killed = db.transaction().execute(async (tx) => {
    const migrations = listMigrations(storage.kind, testKeys);
    for (const name of ['0090-registers', '0093-accounts']) await migrations[name]!.up(tx);
    throw new Error('killed');
  });

  await expect(killed).rejects.toThrow('killed');
  await db.destroy();
  expect(await database.tables()).toEqual(tablesBefore);
  await (await openStorage(database)).close();

  await database.drop();
});

test('the content of an account or a session is rejected in another row [ANON-51]', async () => {
  const { db } = storage;
  const ids = [await addAccount(storage), await addAccount(storage)] as const;
  const sessionIds = [
    await addSession(storage, ids[0]),
    await addSession(storage, ids[1]),
  ] as const;
  for (const [table, [from, to]] of [
    ['accounts', ids],
    ['sessions', sessionIds],
  ] as const) {
    await storage.database.query(
      `update ${table} set content = (select content from ${table} where id = '${from}') where id = '${to}'`,
    );
  }

  await expect(accountRecords.findById(db, ids[1])).rejects.toThrow('cannot be opened');
  expect(await sessionRecords.find(db, sessionIds[1])).toBeNull();
  expect(await sessionRecords.find(db, sessionIds[0])).toMatchObject({ account: { id: ids[0] } });
});

test('the longest address and all settings fit into the row of every account, and the row into a page of SQLite [ANON-54]', async () => {
  const longest: AccountRecord = {
    id: 'i'.repeat(32),
    email: `${'e'.repeat(limits.email - 15)}@university.edu`,
    mailboxKey: 'm'.repeat(22),
    signOnKey: 's'.repeat(43),
    passwordHash: `$argon2id$v=19$m=1048576,t=10,p=16$${'a'.repeat(22)}$${'a'.repeat(43)}`,
    emailVerified: false,
    createdDay: 99_999,
    lastUse: { epoch: 'e'.repeat(16), month: 99_999, goesDay: 99_999, isReminded: false },
    settings: {
      ...{ showText: false, answers: false, waitingWork: false, digest: false },
      quietHours: { from: '22:00', to: '07:00', timeZone: 'America/Argentina/ComodRivadavia' },
      snoozedUntil: 9_999_999_999_999,
    },
    language: 'l'.repeat(limits.languageTag),
    sessionGroup: 'g'.repeat(16),
  };
  const shortest = { ...longest, email: 'a@b.c', passwordHash: null, lastUse: null };

  const row = accountRecords.seal(longest);
  expect(row.content.length).toBe(accountRecords.seal(shortest).content.length);

  const sizes = Object.values(row).map((value) => value?.length ?? 0);
  const headerBytes = 12;
  expect(sizes.reduce((sum, size) => sum + size, headerBytes)).toBeLessThanOrEqual(1002);
});

test('a database keeps its epoch when it is opened again', async () => {
  const reopenedStorage = await openStorage(storage.database);

  expect(reopenedStorage.epoch).toBe(storage.epoch);

  await reopenedStorage.close();
});

test('released migrations keep their names and their order [UPGRADE-1]', () => {
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
