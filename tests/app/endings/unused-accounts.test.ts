// Accounts that were not used for months are asked by mail, then go. The tests move the clock of the real app.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { verify } from '#tests/support/digest-mails.ts';
import {
  waitUntilMailsSent,
  toTime,
  acceptClock,
  restartAt,
  setClock,
} from '#tests/support/digests.ts';
import { startFakeSmtp, type FakeSmtp } from '#tests/support/fake-smtp.ts';
import { runCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { changeStoredAccounts, listStoredAccounts } from '#tests/support/stored-accounts.ts';

const settings = {
  UNUSED_ACCOUNT_MONTHS: '2',
  EMAIL_VERIFICATION: 'required',
  DIGEST_TIME: 'off',
  OPERATORS: 'operator@university.edu',
};
const patience = { timeout: 30_000 };
/** A number of days that ends in the third month, whatever the lengths of the months. */
const unusedDays = 95;

let smtp: FakeSmtp;
let app: RunningApp;
beforeEach(async () => {
  setClock(toTime('09:00'));
  smtp = await startFakeSmtp();
  app = await startApp({ SMTP_URL: smtp.url, ...settings });
});
afterEach(async () => {
  await app.stop();
  await smtp.stop();
  vi.useRealTimers();
});

const createStudent = (name?: string) => verify(smtp, app.visitor(name));
const listQuestionMails = ({ email }: TestClient) =>
  smtp.taken.filter((mail) => mail.includes(`To: ${email}\n`) && mail.includes('/signin'));
const listEmails = async () => (await listStoredAccounts(app.database)).map(({ email }) => email);
const listLastUses = async () =>
  (await listStoredAccounts(app.database)).map(({ lastUse }) => JSON.stringify(lastUse));
/** Waits until the server has looked at all accounts: a mark of an account without one is its first write. */
async function waitForCheck(): Promise<void> {
  const probe = (await listEmails()).at(-1) ?? '';
  await app.restart(() => changeStoredAccounts(app.database, probe, { lastUse: null }));
  await expect.poll(listLastUses, patience).not.toContain('null');
  await waitUntilMailsSent(app);
}

test('the server asks and reminds the owner of an unused account, then deletes it and keeps its messages [RETAIN-4, RETAIN-5]', async () => {
  const ada = await createStudent('ada');
  const ben = await createStudent('ben');
  const operator = await createStudent('operator');
  await createStudent('zoe');
  const classId = await ben.createClass();
  await ada.join(classId);
  await ada.post(classId, 'Still readable');
  const usesBefore = await listLastUses();
  const { me } = await ada.snapshot(classId);
  await ada.newBrowser().signIn();

  // Neither a message nor a second sign-in in the month changes a row.
  expect(await listLastUses()).toEqual(usesBefore);

  await restartAt(app, toTime('09:00', 45));
  await ben.newBrowser().signIn();
  await restartAt(app, toTime('09:00', unusedDays));
  await expect.poll(() => listQuestionMails(ada).length, patience).toBe(1);

  await ben.newBrowser().signIn();
  expect(listQuestionMails(ada)[0]).toContain(
    'Subject: Do you still use your account on Backchannel?',
  );
  expect(listQuestionMails(ada)[0]?.replaceAll('=\n', '')).toMatch(
    /for more than 2 months\. It will be deleted on \w+ \d+, \d{4}\./,
  );

  await waitForCheck();
  await restartAt(app, toTime('09:00', unusedDays + 22));
  await waitForCheck();
  expect([ada, ben, operator].map((student) => listQuestionMails(student).length)).toEqual([
    1, 0, 0,
  ]);

  await restartAt(app, toTime('09:00', unusedDays + 24));
  await expect.poll(() => listQuestionMails(ada).length, patience).toBe(2);

  // A week after the reminder, which was a day late, this day has not begun everywhere before noon (UTC).
  await restartAt(app, toTime('11:50', unusedDays + 31));
  await waitForCheck();
  expect(await listEmails()).toContain(ada.email);

  const count = async () =>
    (await app.database.query(`select "memberCount" from classes`))[0]?.['memberCount'];
  expect(await count()).toBe(2);

  await restartAt(app, toTime('12:10', unusedDays + 31));
  await expect.poll(listEmails, patience).not.toContain(ada.email);
  expect(await listEmails()).toEqual(expect.arrayContaining([ben.email, operator.email]));
  await expect(ada.newBrowser().signIn()).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });

  // No restart: it would spread what is overdue over two more hours.
  setClock(toTime('13:00', unusedDays + 32));
  await expect.poll(count, patience).toBe(1);

  await ben.signIn();
  const { messages } = await ben.snapshot(classId);
  expect(messages).toMatchObject([{ memberId: me.memberId, text: 'Still readable' }]);
});

test('a sign-in or an opened session keeps an unused account [RETAIN-5]', async () => {
  const ada = await createStudent('ada');
  const ben = await createStudent('ben');
  await createStudent('zoe');
  // The browser stays signed in, and opens the app now and then.
  for (const days of [20, 40, 58]) {
    await restartAt(app, toTime('09:00', days));
    // The first try may use a connection to the server before.
    const openSession = async () => (await ben.call('me', {})).account?.email;
    await expect.poll(openSession, patience).toBe(ben.email);
  }

  await restartAt(app, toTime('09:00', unusedDays));
  await expect.poll(() => listQuestionMails(ada).length, patience).toBe(1);

  await waitForCheck();
  expect(listQuestionMails(ben)).toEqual([]);

  await ada.newBrowser().signIn();
  for (const days of [24, 31, 40]) {
    await restartAt(app, toTime('09:00', unusedDays + days));
    await waitForCheck();
  }
  expect(await listEmails()).toContain(ada.email);
  expect(listQuestionMails(ada)).toHaveLength(1);
});

test('the months without use count again after a restore [RETAIN-4, RETAIN-5]', async () => {
  const ada = await createStudent('ada');
  await createStudent('zoe');

  await restartAt(app, toTime('09:00', unusedDays));
  await expect.poll(() => listQuestionMails(ada).length, patience).toBe(1);

  await waitUntilMailsSent(app);
  await app.restart(async () => {
    setClock(toTime('09:00', unusedDays + 40));
    const { code } = await runCommand('restore', ['--new-epoch'], app.database.settings);
    expect(code).toBe(0);
  });
  await waitForCheck();
  await restartAt(app, toTime('09:00', unusedDays + 48));
  await waitForCheck();
  expect(await listEmails()).toContain(ada.email);
  expect(listQuestionMails(ada)).toHaveLength(1);

  await app.restart(undefined, { UNUSED_ACCOUNT_MONTHS: 'never' });
  await expect.poll(listLastUses, patience).toEqual(['null', 'null']);

  await ada.newBrowser().signIn();
  expect(await listLastUses()).toEqual(['null', 'null']);
});

test('the server deletes no unused account while its question cannot be mailed [RETAIN-5]', async () => {
  const ada = await createStudent('ada');
  smtp.answer('451 4.3.0 later');

  await restartAt(app, toTime('09:00', unusedDays));
  await expect
    .poll(async () => (await app.database.query('select 1 from "outgoingMails"')).length, patience)
    .toBe(1);

  // The server is stopped for half a year: the reminder still comes a week before.
  await app.restart(async () => {
    // Not earlier: the first mail, which waits, would be sent.
    smtp.answer(null);
    setClock(toTime('09:00', unusedDays + 180));
    await acceptClock(app);
  });
  await expect.poll(() => listQuestionMails(ada).length, patience).toBe(1);

  await restartAt(app, toTime('09:00', unusedDays + 186));
  await waitUntilMailsSent(app);
  expect(await listEmails()).toEqual([ada.email]);

  await restartAt(app, toTime('12:10', unusedDays + 187));
  await expect.poll(listEmails, patience).toEqual([]);
});
