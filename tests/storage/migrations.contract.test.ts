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

test('an empty database gets every table, and a second time nothing more [START-10]', async () => {
  const before = await storage.database.tables();
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining(['accounts', 'classes', 'enrolments', 'personas', 'messages', 'log']),
  );
  await migrate(storage.db, storage.kind);
  expect(await storage.database.tables()).toEqual(before);
});

test('an account without a password, as a sign-up that was cut off left it, frees its address [AUTH-62]', async () => {
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

test('a database that is opened again is of the same history', async () => {
  const again = await openStorage(storage.database);
  expect(again.epoch).toBe(storage.epoch);
  await again.close();
});

test('a database of a newer version is refused [START-7]', async () => {
  await storage.database.query(
    "insert into kysely_migration values ('9999-from-tomorrow', '2030-01-01')",
  );
  await expect(openStorage(storage.database)).rejects.toThrow('newer version');
});

test('our migrations make the tables that better-auth asks for', async () => {
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
  // It asks the database itself, which our adapter stands before.
  const database = { db: storage.db, type: storage.kind };
  const { toBeCreated, toBeAdded } = await getMigrations({ ...auth.options, database });
  expect(toBeCreated).toEqual([]);
  expect(toBeAdded).toEqual([]);
});
