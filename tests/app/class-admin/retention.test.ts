// What the server deletes by itself: the messages of classes that ended long ago, and accounts that were never verified.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createJpeg, postPicture, upload } from '#tests/support/pictures.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { createEarlierVersion } from '#tests/storage/earlier-version.ts';
import { quoteEmail, createTestDatabase } from '#tests/support/test-database.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

let app: RunningApp;
afterEach(() => app.stop());

const today = () => Math.floor(Date.now() / 86_400_000);
const patience = { timeout: 60_000 };

/** A class with 45 messages, one of them with a picture and a reaction, that ended some days ago. */
async function createEnded(ada: TestClient, ben: TestClient, daysAgo: number): Promise<string> {
  const classId = await ada.createClass();
  await ben.join(classId);
  const socket = await ada.connect();
  const other = await ben.connect();
  for (let n = 0; n < 44; n++) await (n % 2 ? socket : other).post(classId, `Said ${n}`);
  const { imageId } = await upload(ada, classId, await createJpeg());
  const messageId = await postPicture(socket, classId, imageId);
  await other.request({ type: 'react', classId, messageId, emoji: '👍' });
  await runAdminCommand(app.database.settings, 'archive-class', classId);
  await app.database.query(
    `update classes set "endedDay" = ${today() - daysAgo} where "classId" = '${classId}'`,
  );
  return classId;
}

const listRows = (table: string, classId: string, where = 'true') =>
  app.database.query(`select * from "${table}" where "classId" = '${classId}' and ${where}`);
const present = async (classId: string) =>
  (await listRows('messages', classId, 'deleted = 0')).length;
const accountTables = async () => {
  const { accounts, credentials, enrollments, sessions } = await app.database.tables();
  const sorted = [accounts, credentials, enrollments, sessions].map((rows = []) =>
    rows.map((row) => JSON.stringify(row)).toSorted(),
  );
  return sorted;
};

test('messages of ended classes go after RETENTION_DAYS, with their pictures, and no others [RETAIN-1, RETAIN-2]', async () => {
  app = await startApp();
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const old = await createEnded(ada, ben, 31);
  const young = await createEnded(ada, ben, 30);
  const running = await ada.createClass();
  await ada.post(running, 'Still here');
  const images = join(app.database.settings.DATA_DIR, 'images');
  await app.restart();
  expect(await present(old)).toBe(45);
  const before = await accountTables();
  const reader = await ben.connect();
  const replica = await reader.subscribe(old);
  expect(replica.messages.length).toBeGreaterThan(40);
  reader.close();

  await app.restart(undefined, { RETENTION_DAYS: '30' });
  await expect.poll(() => present(old), patience).toBe(0);
  // The files go at the next collection, which is also at the start.
  await app.restart(undefined, { RETENTION_DAYS: '30' });
  await expect.poll(() => readdirSync(images).length, patience).toBe(2);
  for (const table of ['reactions', 'mentions', 'messageWords']) {
    expect(await listRows(table, old), table).toEqual([]);
  }
  expect((await listRows('messages', old)).every(({ text }) => text === '')).toBe(true);
  expect([await present(young), await present(running)]).toEqual([45, 1]);
  expect(await listRows('reactions', young)).toHaveLength(1);
  expect(await accountTables()).toEqual(before);
  await expect
    .poll(async () => (await listRows('classes', old, '"endedDay" is null')).length, patience)
    .toBe(1);
  const { messages } = await (await ben.connect()).subscribe(old);
  expect(messages.filter(({ text }) => text !== '')).toEqual([]);
});

test('a server that is stopped in between goes on after its start [RETAIN-2]', async () => {
  app = await startApp();
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const classId = await createEnded(ada, ben, 31);
  const seqs = (await listRows('messages', classId))
    .map(({ seq }) => Number(seq))
    .toSorted((a, b) => a - b);
  // As if the run before was killed after its first commit.
  await app.restart(
    async () => {
      await app.database.query(
        `update messages set deleted = 1, text = '' where "classId" = '${classId}' and seq <= ${seqs[19]}`,
      );
    },
    { RETENTION_DAYS: '30' },
  );
  await expect.poll(() => present(classId), patience).toBe(0);
  expect(await listRows('log', classId, `kind = 'deleted'`)).toHaveLength(25);
});

test('without the setting they stay, and a class that ended in an earlier version counts from the upgrade on [RETAIN-1]', async () => {
  const database = await createTestDatabase();
  const ended = (id: string, status: string, before: string) =>
    `insert into classes ("classId", seq, ordinal, salt, status, "statusBefore", "deletedDay", "memberCount", "createdDay")
     values ('${id}', 0, 0, 's', '${status}', ${before}, 0, 20000)`;
  await createEarlierVersion(database, '0027', [
    ended('ended', 'archived', 'null, null'),
    ended('ended and deleted', 'deleted', `'archived', ${today()}`),
    ended('running', 'active', 'null, null'),
  ]);
  app = await startApp({ SECRET_KEY: 'a server key of these tests, 32 characters' }, database);
  const rows = await database.query('select "classId", "endedDay" from classes');
  expect(Object.fromEntries(rows.map((row) => [row['classId'], row['endedDay']]))).toEqual({
    ended: today(),
    'ended and deleted': today(),
    running: null,
  });
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const classId = await createEnded(ada, ben, 9999);
  await app.restart();
  expect(await present(classId)).toBe(45);
});

test('accounts that were never verified go after 7 days, if they are in no class [RETAIN-3]', async () => {
  app = await startApp({ EMAIL_VERIFICATION: 'off' });
  const names = ['gone', 'young', 'verified', 'member', 'former'];
  const [gone, young, verified, member, former] = await Promise.all(
    names.map((name) => app.createStudent(name)),
  );
  const classId = await member!.createClass();
  await former!.join(classId);
  for (const each of [member!, former!]) await each.post(classId, `Said by ${each.email}`);
  await former!.leave(classId);
  const day = (ago: number) => new Date((today() - ago) * 86_400_000).toISOString();
  const change = (set: string, of: TestClient) =>
    app.database.query(`update accounts set ${set} where email = ${quoteEmail(of.email)}`);
  for (const each of [gone!, verified!, member!, former!]) {
    await change(`times = null, "createdAt" = '${day(8)}'`, each);
  }
  await change(`times = null, "createdAt" = '${day(7)}'`, young!);
  await change(`"emailVerified" = (1 = 1)`, verified!);
  const left = async () =>
    (await app.database.query('select email from accounts order by email')).map(
      ({ email }) => String(email).split('@')[0],
    );
  const written = async () =>
    JSON.stringify([
      await listRows('messages', classId),
      await listRows('personas', classId),
      await listRows('classes', classId),
    ]);
  const before = await written();
  const requiredSince = (ago: number) =>
    app.database.query(
      `update "serverMetadata" set value = '${today() - ago}' where name = 'verificationRequiredSince'`,
    );

  // While no one was asked to verify, and in the first 7 days after, all stay.
  const required = { EMAIL_VERIFICATION: 'required' };
  await app.restart();
  await app.restart(undefined, required);
  await app.restart(() => requiredSince(7), required);
  expect(await left()).toEqual(names.toSorted());
  await app.restart(() => requiredSince(8), required);
  await expect.poll(left, patience).toEqual(['member', 'verified', 'young']);
  expect(await written()).toBe(before);
  for (const table of ['credentials', 'sessions']) {
    const rows = await app.database.query(`select distinct "userId" from ${table}`);
    expect(rows, table).toHaveLength(3);
  }

  // Without verification in between, the 7 days begin again.
  await app.restart(undefined, { EMAIL_VERIFICATION: 'off' });
  await app.restart(undefined, required);
  const [row] = await app.database.query(
    `select value from "serverMetadata" where name = 'verificationRequiredSince'`,
  );
  expect(row).toEqual({ value: String(today()) });
});

test('a sign-up that an unverified account repeats survives its deletion [RETAIN-3]', async () => {
  app = await startApp({ EMAIL_VERIFICATION: 'off' });
  const ada = await app.createStudent();
  const required = { EMAIL_VERIFICATION: 'required' };
  await app.restart(undefined, required);
  const again = ada.newBrowser({ password: 'another horse battery' });
  await again.signUp();
  const token = /\/verify-email\?token=(\S+)/.exec(await app.waitForNextMailTo(ada))?.[1] ?? '';
  const [{ id: before } = {}] = await app.database.query('select id from accounts');
  await app.restart(async () => {
    await app.database.query(
      `update "serverMetadata" set value = '9999' where name = 'verificationRequiredSince'`,
    );
    await app.database.query(
      `update accounts set times = null, "createdAt" = '2024-01-01T00:00:00.000Z'`,
    );
  }, required);
  await expect.poll(() => app.database.query('select id from accounts'), patience).toEqual([]);
  await again.call('verifyEmail', { body: { token, password: again.password } });
  const rows = await app.database.query('select id, "emailVerified" from accounts');
  expect(rows).toMatchObject([{ id: expect.not.stringMatching(String(before)) as unknown }]);
  await app.restart(undefined, required);
  expect(await again.call('me', {})).toMatchObject({ account: { email: ada.email } });
});

test('A clock that is a year ahead for a moment erases nothing early [RETAIN-7]', async () => {
  app = await startApp();
  const ada = await app.createStudent();
  const recent = await ada.createClass();
  const expired = await ada.createClass({ courseNumber: '2' });
  const classIds = async () =>
    (await app.database.query('select "classId" from classes')).map(({ classId }) => classId);
  const seenDay = () =>
    app.database.query(`select value from "serverMetadata" where name = 'lastSeenDay'`);
  await expect.poll(seenDay, patience).toEqual([{ value: String(today()) }]);
  for (const classId of [recent, expired]) {
    await runAdminCommand(app.database.settings, 'delete-class', classId);
  }

  await app.restart(async () => {
    await app.database.query(
      `update classes set "deletedDay" = ${today() - 31} where "classId" = '${expired}'`,
    );
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 365 * 86_400_000 });
  });

  await expect.poll(classIds, patience).toEqual([recent]);
  expect(await seenDay()).toEqual([{ value: String(Math.floor(Date.now() / 86_400_000) - 365) }]);
  vi.useRealTimers();
  await app.restart();
  const { out } = await runAdminCommand(app.database.settings, 'restore-class', recent);
  expect(out).toContain('is back');
});
