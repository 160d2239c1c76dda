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
import { quoteEmail } from '#tests/support/test-database.ts';

const settings = {
  UNUSED_ACCOUNT_MONTHS: '2',
  EMAIL_VERIFICATION: 'required',
  DIGEST_TIME: 'off',
  OPERATORS: 'operator@university.edu',
};
const patience = { timeout: 30_000 };
/** In the third month after, whatever their lengths. */
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
const asked = ({ email }: TestClient) =>
  smtp.taken.filter((mail) => mail.includes(`To: ${email}\n`) && mail.includes('/signin'));
const present = async () =>
  (await app.database.query('select email from accounts order by email')).map(({ email }) =>
    String(email),
  );
const lastUses = async () =>
  (await app.database.query('select "lastUse" from accounts order by email')).map(({ lastUse }) =>
    String(lastUse),
  );
/** Waits until the server has looked at all accounts: a mark of an account without one is its first write. */
async function looked(): Promise<void> {
  const probe = (await present()).at(-1) ?? '';
  await app.restart(() =>
    app.database.query(`update accounts set "lastUse" = null where email = ${quoteEmail(probe)}`),
  );
  await expect.poll(lastUses, patience).not.toContain('null');
  await waitUntilMailsSent(app);
}

test('an unused account is asked and reminded, then goes, and its messages stay [RETAIN-4, RETAIN-5, RETAIN-6]', async () => {
  const ada = await createStudent('ada');
  const ben = await createStudent('ben');
  const operator = await createStudent('operator');
  await createStudent('zoe');
  const classId = await ben.createClass();
  await ada.join(classId);
  await ada.post(classId, 'Still readable');
  const used = await lastUses();
  const { me } = await ada.snapshot(classId);
  await ada.newBrowser().signIn();
  // Neither a message nor a second sign-in in the month changes a row.
  expect(await lastUses()).toEqual(used);
  expect(new Set(used.map((sealed) => sealed.length)).size).toBe(1);
  expect(new Set(used).size).toBe(used.length);

  await restartAt(app, toTime('09:00', 45));
  await ben.newBrowser().signIn();
  await restartAt(app, toTime('09:00', unusedDays));
  await expect.poll(() => asked(ada).length, patience).toBe(1);
  await ben.newBrowser().signIn();
  expect(asked(ada)[0]).toContain('Subject: Do you still use your account on Backchannel?');
  expect(asked(ada)[0]?.replaceAll('=\n', '')).toMatch(
    /for more than 2 months\. It will be deleted on \w+ \d+, \d{4}\./,
  );
  await looked();
  await restartAt(app, toTime('09:00', unusedDays + 22));
  await looked();
  expect([ada, ben, operator].map((one) => asked(one).length)).toEqual([1, 0, 0]);
  await restartAt(app, toTime('09:00', unusedDays + 24));
  await expect.poll(() => asked(ada).length, patience).toBe(2);
  // A week after the reminder, which was a day late, this day has not begun everywhere before noon (UTC).
  await restartAt(app, toTime('11:50', unusedDays + 31));
  await looked();
  expect(await present()).toContain(ada.email);
  const count = async () =>
    (await app.database.query(`select "memberCount" from classes`))[0]?.['memberCount'];
  expect(await count()).toBe(2);

  await restartAt(app, toTime('12:10', unusedDays + 31));
  await expect.poll(present, patience).not.toContain(ada.email);
  expect(await present()).toEqual(expect.arrayContaining([ben.email, operator.email]));
  await expect(ada.newBrowser().signIn()).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });
  await restartAt(app, toTime('10:00', unusedDays + 32));
  await restartAt(app, toTime('13:00', unusedDays + 32));
  await expect.poll(count, patience).toBe(1);
  await ben.signIn();
  const { messages } = await ben.snapshot(classId);
  expect(messages).toMatchObject([{ memberId: me.memberId, text: 'Still readable' }]);
});

test('a sign-in or an opened session keeps an account that was asked [RETAIN-5]', async () => {
  const ada = await createStudent('ada');
  const ben = await createStudent('ben');
  await createStudent('zoe');
  // The browser stays signed in, and opens the app now and then.
  for (const days of [20, 40, 58]) {
    await restartAt(app, toTime('09:00', days));
    // The first try may use a connection to the server before.
    const opened = async () => (await ben.call('me', {})).account?.email;
    await expect.poll(opened, patience).toBe(ben.email);
  }
  await restartAt(app, toTime('09:00', unusedDays));
  await expect.poll(() => asked(ada).length, patience).toBe(1);
  await looked();
  expect(asked(ben)).toEqual([]);
  await ada.newBrowser().signIn();
  for (const days of [24, 31, 40]) {
    await restartAt(app, toTime('09:00', unusedDays + days));
    await looked();
  }
  expect(await present()).toContain(ada.email);
  expect(asked(ada)).toHaveLength(1);
});

test('after a restore the months count again, and without the setting nothing is stored [RETAIN-4, RETAIN-5]', async () => {
  const ada = await createStudent('ada');
  await createStudent('zoe');
  await restartAt(app, toTime('09:00', unusedDays));
  await expect.poll(() => asked(ada).length, patience).toBe(1);
  await waitUntilMailsSent(app);
  await app.restart(async () => {
    setClock(toTime('09:00', unusedDays + 40));
    const { code } = await runCommand('restore', ['--new-epoch'], app.database.settings);
    expect(code).toBe(0);
  });
  await looked();
  await restartAt(app, toTime('09:00', unusedDays + 48));
  await looked();
  expect(await present()).toContain(ada.email);
  expect(asked(ada)).toHaveLength(1);
  await app.restart(undefined, { UNUSED_ACCOUNT_MONTHS: 'never' });
  await expect.poll(lastUses, patience).toEqual(['null', 'null']);
  await ada.newBrowser().signIn();
  expect(await lastUses()).toEqual(['null', 'null']);
});

test('no one goes unasked while the mail server is down [RETAIN-5]', async () => {
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
  await expect.poll(() => asked(ada).length, patience).toBe(1);
  await restartAt(app, toTime('09:00', unusedDays + 186));
  await waitUntilMailsSent(app);
  expect(await present()).toEqual([ada.email]);
  await restartAt(app, toTime('12:10', unusedDays + 187));
  await expect.poll(present, patience).toEqual([]);
});
