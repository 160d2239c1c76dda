// What the server deletes automatically: the messages of classes that ended long ago, and accounts that were never verified.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createJpeg, postPicture, upload } from '#tests/support/pictures.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import {
  changeStoredAccounts,
  listStoredAccounts,
  listStoredSessions,
} from '#tests/support/stored-accounts.ts';

let app: RunningApp;
afterEach(() => app.stop());

const getToday = () => Math.floor(Date.now() / 86_400_000);
const patience = { timeout: 60_000 };

/** A class with 45 messages, one of them with a picture and a reaction, that ended some days ago. */
async function createEndedClass(
  ada: TestClient,
  ben: TestClient,
  daysAgo: number,
): Promise<string> {
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
    `update classes set "endedDay" = ${getToday() - daysAgo} where "classId" = '${classId}'`,
  );
  return classId;
}

const listRows = (table: string, classId: string, condition = 'true') =>
  app.database.query(`select * from "${table}" where "classId" = '${classId}' and ${condition}`);
const countMessages = async (classId: string) =>
  (await listRows('messages', classId, 'deleted = 0')).length;
const listAccountRows = async () => {
  const { accounts, registers, sessions } = await app.database.tables();
  // Read positions are written at a random time.
  const otherRegisters = registers!.filter(({ kind }) => kind !== 'readMarks');
  const sortedRows = [accounts, otherRegisters, sessions].map((rows = []) =>
    rows.map((row) => JSON.stringify(row)).toSorted(),
  );
  return sortedRows;
};

test('the server deletes messages and pictures of an ended class after RETENTION_DAYS [RETAIN-1]', async () => {
  app = await startApp();
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const oldId = await createEndedClass(ada, ben, 31);
  const youngId = await createEndedClass(ada, ben, 30);
  const runningId = await ada.createClass();
  await ada.post(runningId, 'Still here');
  const images = join(app.database.settings.DATA_DIR, 'images');

  await app.restart();
  expect(await countMessages(oldId)).toBe(45);

  const accountRows = await listAccountRows();
  const reader = await ben.connect();
  const replica = await reader.subscribe(oldId);
  expect(replica.messages.length).toBeGreaterThan(40);

  reader.close();

  await app.restart(undefined, { RETENTION_DAYS: '30' });
  await expect.poll(() => countMessages(oldId), patience).toBe(0);

  // The files go at the next collection, which is also at the start.
  await app.restart(undefined, { RETENTION_DAYS: '30' });
  await expect.poll(() => readdirSync(images).length, patience).toBe(2);
  for (const table of ['reactions', 'mentions']) {
    expect(await listRows(table, oldId), table).toEqual([]);
  }
  expect((await listRows('messages', oldId)).every(({ text }) => text === '')).toBe(true);
  expect([await countMessages(youngId), await countMessages(runningId)]).toEqual([45, 1]);
  expect(await listRows('reactions', youngId)).toHaveLength(1);
  expect(await listAccountRows()).toEqual(accountRows);
  await expect
    .poll(async () => (await listRows('classes', oldId, '"endedDay" is null')).length, patience)
    .toBe(1);

  const { messages } = await (await ben.connect()).subscribe(oldId);
  expect(messages.filter(({ text }) => text !== '')).toEqual([]);
});

test('the server deletes an unverified account after 7 days if it is in no class [RETAIN-3]', async () => {
  app = await startApp({ EMAIL_VERIFICATION: 'off' });
  const names = ['gone', 'young', 'verified', 'member', 'former'];
  const [unverified, young, verified, member, former] = await Promise.all(
    names.map((name) => app.createStudent(name)),
  );
  const classId = await member!.createClass();
  await former!.join(classId);
  for (const student of [member!, former!]) await student.post(classId, `Said by ${student.email}`);
  await former!.leave(classId);
  for (const { email } of [unverified!, verified!, member!, former!]) {
    await changeStoredAccounts(app.database, email, { createdDay: getToday() - 8 });
  }
  await changeStoredAccounts(app.database, young!.email, { createdDay: getToday() - 7 });
  await changeStoredAccounts(app.database, verified!.email, { emailVerified: true });
  const listNames = async () =>
    (await listStoredAccounts(app.database)).map(({ email }) => email.split('@')[0]);
  const listWritten = async () =>
    JSON.stringify([
      await listRows('messages', classId),
      await listRows('personas', classId),
      await listRows('classes', classId),
    ]);
  const writtenBefore = await listWritten();
  const setRequiredSince = (daysAgo: number) =>
    app.database.query(
      `update "serverMetadata" set value = '${getToday() - daysAgo}' where name = 'verificationRequiredSince'`,
    );

  // While no one was asked to verify, and in the first 7 days after, all stay.
  const required = { EMAIL_VERIFICATION: 'required' };
  await app.restart();
  await app.restart(undefined, required);
  await app.restart(() => setRequiredSince(7), required);
  expect(await listNames()).toEqual(names.toSorted());

  await app.restart(() => setRequiredSince(8), required);
  await expect.poll(listNames, patience).toEqual(['member', 'verified', 'young']);
  expect(await listWritten()).toBe(writtenBefore);
  const sessions = await listStoredSessions(app.database);
  expect(new Set(sessions.map(({ accountId }) => accountId)).size).toBe(3);

  // Without verification in between, the 7 days begin again.
  await app.restart(undefined, { EMAIL_VERIFICATION: 'off' });
  await app.restart(undefined, required);
  const [row] = await app.database.query(
    `select value from "serverMetadata" where name = 'verificationRequiredSince'`,
  );
  expect(row).toEqual({ value: String(getToday()) });
});

test('a repeated sign-up survives the deletion of the unverified account [RETAIN-3]', async () => {
  app = await startApp({ EMAIL_VERIFICATION: 'off' });
  const ada = await app.createStudent();
  const required = { EMAIL_VERIFICATION: 'required' };
  await app.restart(undefined, required);
  const secondBrowser = ada.newBrowser({ password: 'another horse battery' });
  await secondBrowser.signUp();
  const token = /\/verify-email#token=(\S+)/.exec(await app.waitForNextMailTo(ada))?.[1] ?? '';
  const [{ id: idBefore } = {}] = await app.database.query('select id from accounts');

  await app.restart(async () => {
    await app.database.query(
      `update "serverMetadata" set value = '9999' where name = 'verificationRequiredSince'`,
    );
    await changeStoredAccounts(app.database, null, { createdDay: 19_723 });
  }, required);
  await expect.poll(() => app.database.query('select id from accounts'), patience).toEqual([]);

  await secondBrowser.call('verifyEmail', { body: { token, password: secondBrowser.password } });
  const rows = await listStoredAccounts(app.database);
  expect(rows).toMatchObject([{ id: expect.not.stringMatching(String(idBefore)) as unknown }]);

  await app.restart(undefined, required);
  expect(await secondBrowser.call('me', {})).toMatchObject({ account: { email: ada.email } });
});

test('a clock that is a year ahead for a moment erases nothing early [RETAIN-7]', async () => {
  app = await startApp();
  const ada = await app.createStudent();
  const recent = await ada.createClass();
  const expired = await ada.createClass({ courseNumber: '2' });

  const listClassIds = async () =>
    (await app.database.query('select "classId" from classes')).map(({ classId }) => classId);
  const findLastSeenDay = () =>
    app.database.query(`select value from "serverMetadata" where name = 'lastSeenDay'`);
  await expect.poll(findLastSeenDay, patience).toEqual([{ value: String(getToday()) }]);

  for (const classId of [recent, expired]) {
    await runAdminCommand(app.database.settings, 'delete-class', classId);
  }

  await app.restart(async () => {
    await app.database.query(
      `update classes set "deletedDay" = ${getToday() - 31} where "classId" = '${expired}'`,
    );
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 365 * 86_400_000 });
  });

  await expect.poll(listClassIds, patience).toEqual([recent]);
  expect(await findLastSeenDay()).toEqual([
    { value: String(Math.floor(Date.now() / 86_400_000) - 365) },
  ]);

  vi.useRealTimers();
  await app.restart();
  const { out } = await runAdminCommand(app.database.settings, 'restore-class', recent);
  expect(out).toContain('is back');
});
