import { getMigrations } from 'better-auth/db/migration';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAuth } from '#server/accounts/auth.ts';
import { migrate, migrations } from '#server/storage/migrations.ts';
import { addAccount, openStorage, type OpenedStorage } from './opened-storage.ts';

let storage: OpenedStorage;
beforeEach(async () => {
  storage = await openStorage();
});
afterEach(() => storage.close());

test('an empty database gets every table, and a second run changes nothing [START-10]', async () => {
  const before = await storage.database.tables();
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining(['accounts', 'classes', 'enrolments', 'personas', 'messages', 'log']),
  );
  await migrate(storage.db, storage.kind);
  expect(await storage.database.tables()).toEqual(before);
});

test('an account without a password, left by an interrupted sign-up, frees its address [AUTH-62]', async () => {
  const lonely = await addAccount(storage);
  const whole = await addAccount(storage);
  await storage.database.query(
    `insert into credentials ("id", "accountId", "providerId", "userId", "createdAt", "updatedAt")
     values ('c', '${whole}', 'credential', '${whole}', '2030-01-01', '2030-01-01')`,
  );
  const { up } = migrations(storage.kind)['0010-credentials']!;
  await up(storage.db);
  const left = await storage.database.query('select id from accounts');
  expect(left).toEqual([{ id: whole }]);
  expect(left).not.toContainEqual({ id: lonely });
});

test('a database keeps its epoch when it is opened again', async () => {
  const again = await openStorage(storage.database);
  expect(again.epoch).toBe(storage.epoch);
  await again.close();
});

test('the server refuses a database of a newer version [START-7]', async () => {
  await storage.database.query(
    "insert into kysely_migration values ('9999-from-tomorrow', '2030-01-01')",
  );
  await expect(openStorage(storage.database)).rejects.toThrow('newer version');
});

test('our migrations create the tables that better-auth requires', async () => {
  const auth = await createAuth({
    config: {
      publicUrl: new URL('http://localhost:3000'),
      emailVerification: 'off',
    },
    db: storage.db,
    commits: storage.commits,
    engine: storage.kind,
    cookieSecret: 'x'.repeat(43),
    mailboxKeyOf: () => 'a key',
    onSessionEnded: () => {},
  });
  // better-auth queries the database directly here, without our adapter.
  const database = { db: storage.db, type: storage.kind };
  const { toBeCreated, toBeAdded } = await getMigrations({ ...auth.options, database });
  expect(toBeCreated).toEqual([]);
  expect(toBeAdded).toEqual([]);
});
