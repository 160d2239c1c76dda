// The mail server rejects the first attempt. The tests run the real app and database.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { startFakeSmtp, type FakeSmtp } from '#tests/support/fake-smtp.ts';
import { password } from '#tests/support/test-client.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { findFreePort } from '../../../scripts/find-free-port.ts';

let smtp: FakeSmtp;
let app: RunningApp;
beforeEach(async () => {
  smtp = await startFakeSmtp();
  app = await startApp({
    SMTP_URL: smtp.url,
    ORGANIZATION: 'Riverside University',
    SUPPORT_CONTACT: 'help@riverside.example',
  });
});
afterEach(async () => {
  await app.stop();
  await smtp.stop();
});

const within = { timeout: 20_000, interval: 50 };
const waiting = async () => (await app.database.tables())['outgoingMails']!;
/** Makes the next attempt due. */
const makeDue = () => app.database.query('update "outgoingMails" set "dueAt" = 0');
/** Whether the time of the next try is stored. */
const isLater = async () => Number((await waiting())[0]!['dueAt']) > Date.now();
const failures = () =>
  app.logLines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event === 'mail.failed')
    .map(({ event: _e, time: _t, level: _l, ...fields }) => fields);

async function signUp(name = 'ada') {
  const student = app.visitor(name);
  await student.signUp();
  return student;
}

test('while 5,000 mails wait that no other mail can be dropped for, no sign-up adds one, with the same answer, and the log says so without an address [MAIL-13]', async () => {
  await app.database.query(
    `insert into "outgoingMails" (id, "dueAt", content)
     with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 5000)
     select 'mail ' || n, ${Date.now() + 86_400_000}, '' from numbers`,
  );

  const answer = await app.visitor('ada').signUp();
  const whileFull = await waiting();
  await app.database.query(`delete from "outgoingMails" where id = 'mail 1'`);
  const signUpOfBen = async () => {
    await app.visitor('ben').signUp();
    return smtp.taken.some((mail) => mail.includes('To: ben@'));
  };

  expect(answer).toEqual({ verify: true });
  expect(whileFull).toHaveLength(5000);
  const full = app.logLines.filter((line) => line.includes('mail.queue-full'));
  expect(full.map((line) => Object.keys(JSON.parse(line) as object))).toEqual([
    ['level', 'time', 'event'],
  ]);
  await expect.poll(signUpOfBen, within).toBe(true);
});

describe('a mail that is not accepted', () => {
  test('a mail that is not accepted is retried after a temporary error, and the log gives the reason without the address [MAIL-1, MAIL-3]', async () => {
    smtp.answer('451 4.7.1 <ada@university.edu>: Greylisted, try again in 5 minutes');
    const before = Date.now();
    await signUp();
    await expect
      .poll(failures, within)
      .toEqual([{ mailProblem: 'rejected', smtpCode: 451, enhancedStatus: '4.7.1', retry: true }]);
    await expect.poll(isLater, within).toBe(true);
    const [{ dueAt } = {}] = await waiting();
    expect(Number(dueAt) % 300_000).toBe(0);
    expect(Number(dueAt)).toBeGreaterThanOrEqual(before + 60_000);
    expect(Number(dueAt)).toBeLessThanOrEqual(Date.now() + 6 * 60_000);
    expect(app.logLines.join('\n')).not.toMatch(/ada|university\.edu|Greylisted/);

    smtp.answer(null);
    await makeDue();
    await expect.poll(() => smtp.taken.length, within).toBe(1);
    expect(smtp.taken[0]).toContain('To: ada@university.edu');
    await expect.poll(waiting, within).toEqual([]);
  });

  test('a mail that is not accepted stays queued through a restart while no mail server listens [MAIL-1, MAIL-2, MAIL-3]', async () => {
    await smtp.stop();
    await signUp();
    await expect
      .poll(failures, within)
      .toEqual([{ mailProblem: 'connection-refused', retry: true }]);
    await expect.poll(isLater, within).toBe(true);
    await app.restart(makeDue);
    await expect.poll(() => failures().length, within).toBe(2);
    await expect.poll(isLater, within).toBe(true);
    smtp = await startFakeSmtp(Number(new URL(smtp.url).port));
    await makeDue();
    await expect.poll(() => smtp.taken.length, within).toBe(1);
    await expect.poll(waiting, within).toEqual([]);
  });

  test('a mail that is not accepted is dropped immediately after a permanent error [MAIL-1, MAIL-3]', async () => {
    smtp.answer('550 5.1.1 <ada@university.edu> unknown user');
    await signUp();
    await expect
      .poll(failures, within)
      .toEqual([{ mailProblem: 'rejected', smtpCode: 550, enhancedStatus: '5.1.1', retry: false }]);
    await expect.poll(waiting, within).toEqual([]);
    expect(smtp.offered()).toBe(1);
    expect(app.logLines.join('\n')).not.toMatch(/ada|university\.edu|unknown/);
  });

  test('a mail that is not accepted is removed with its account [MAIL-7]', async () => {
    await app.restart(undefined, { SMTP_URL: smtp.url, EMAIL_VERIFICATION: 'off' });
    smtp.answer('451 4.7.1 later');
    const ada = await signUp('ada');
    const ben = await signUp('ben');
    for (const { email } of [ada, ben]) {
      await app.visitor().call('requestPasswordReset', { body: { email } });
    }
    await expect.poll(() => failures().length, within).toBe(2);
    await ada.call('deleteAccount', { body: { password, messages: 'keep' } });
    expect(await waiting()).toHaveLength(1);
    smtp.answer(null);
    await makeDue();
    await expect.poll(() => smtp.taken.length, within).toBe(1);
    expect(smtp.taken[0]).toContain('To: ben@university.edu');
  });
});

describe('networks', () => {
  async function askForReset(email: string, address: string): Promise<void> {
    const visitor = app.visitor('someone', { headers: { 'x-forwarded-for': address } });
    await visitor.call('requestPasswordReset', { body: { email } });
  }

  beforeEach(() =>
    app.restart(undefined, {
      SMTP_URL: smtp.url,
      EMAIL_VERIFICATION: 'off',
      TRUSTED_PROXIES: '1',
    }),
  );

  test('networks take turns: the mail of one person leaves among the first, while a hundred mails of another network wait [MAIL-12]', async () => {
    const mallory = await signUp('mallory');
    const ada = await signUp('ada');
    const count = 100;
    // The first mails never finish, so the others wait.
    smtp.answer('');
    for (let n = 0; n < count; n++) await askForReset(mallory.email, '203.0.113.9');
    await askForReset(ada.email, '198.51.100.1');
    await expect.poll(smtp.offered, within).toBe(5);

    smtp.answer(null);
    smtp.disconnect();

    await expect.poll(() => smtp.recipients.length, within).toBe(count + 1);
    expect(smtp.recipients.indexOf(ada.email)).toBeLessThan(20);
  });

  test('networks share a full queue: a mail of the network with the most is dropped for one of another network [MAIL-13]', async () => {
    const ada = await signUp('ada');
    // More than fit, because the queue drops some of these immediately: no one can read them.
    await app.database.query(
      `insert into "outgoingMails" (id, "dueAt", content)
       with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < 9999)
       select 'mail ' || n, n / 10, '' from numbers`,
    );
    smtp.answer('');

    await askForReset(ada.email, '198.51.100.1');

    const ids = (await waiting()).map(({ id }) => String(id));
    expect(ids.some((id) => !id.startsWith('mail '))).toBe(true);
    expect(app.logLines.join('\n')).toContain('mail.queue-full');
  });
});

describe('the queue in the database', () => {
  test('the queue in the database reveals nothing about a mail: not its address, its link, its length, its time, or whether there is an account [MAIL-4, ANON-8]', async () => {
    smtp.answer('451 4.7.1 later');
    await signUp();
    const long = await signUp('a-name-that-is-a-good-deal-longer-than-the-other-one');
    await expect.poll(() => failures().length, within).toBe(2);
    await app.visitor().call('requestPasswordReset', { body: { email: long.email } });
    const rows = await waiting();
    expect(rows).toHaveLength(3);
    expect(new Set(rows.map(({ content }) => String(content).length)).size).toBe(1);
    const content = await app.database.content();
    const text = JSON.stringify(rows);
    for (const said of ['verify-email', 'reset-password', 'token=', 'Riverside']) {
      expect(content).not.toContain(said);
    }
    for (const said of ['ada', 'university', 'Riverside']) {
      for (const { content: sealed } of rows) {
        expect(Buffer.from(String(sealed), 'base64url').toString('latin1')).not.toContain(said);
      }
    }
    expect(Object.keys(rows[0]!).toSorted()).toEqual(['content', 'dueAt', 'id']);
    expect(text).not.toContain('@');
  });

  test('the queue in the database has an equal row for an address without an account, and that row is not sent [MAIL-4, AUTH-14, AUTH-43]', async () => {
    await app.restart(undefined, { SMTP_URL: smtp.url, EMAIL_VERIFICATION: 'off' });
    const ada = await signUp();
    const askFor = (email: string) =>
      app.visitor().call('requestPasswordReset', { body: { email } });
    // The mails of one parallel batch never finish, so all later rows stay in the table.
    smtp.answer('');
    const atOnce = 5;
    for (let n = 0; n < atOnce; n++) await askFor(ada.email);
    await expect.poll(smtp.offered, within).toBe(atOnce);
    const shapes: unknown[] = [];
    for (const email of [ada.email, 'nobody@university.edu']) {
      const before = new Set((await waiting()).map(({ id }) => id));
      await askFor(email);
      const added = (await waiting()).filter(({ id }) => !before.has(id));
      shapes.push(
        added.map(({ id, dueAt, content }) => [
          String(id).length,
          Number(dueAt),
          String(content).length,
        ]),
      );
    }
    expect(shapes[0]).toEqual([[expect.any(Number), 0, expect.any(Number)]]);
    expect(shapes[1]).toEqual(shapes[0]);
    smtp.answer(null);
    smtp.disconnect();
    await expect.poll(() => failures().length, within).toBe(atOnce);
    await expect.poll(async () => (await waiting()).length, within).toBe(atOnce);
    await makeDue();
    await expect.poll(waiting, within).toEqual([]);
    expect(smtp.taken).toHaveLength(atOnce + 1);
    for (const mail of smtp.taken) expect(mail).toContain('To: ada@university.edu');
  });

  test('the queue in the database reveals nothing if a row is moved to another id or changed [MAIL-4]', async () => {
    smtp.answer('451 4.7.1 later');
    await signUp();
    await expect.poll(() => failures().length, within).toBe(1);
    await expect.poll(isLater, within).toBe(true);
    await app.database.query(`update "outgoingMails" set id = 'another', "dueAt" = 0`);
    await expect
      .poll(() => failures().at(-1), within)
      .toEqual({ mailProblem: 'unreadable', retry: false });
    await expect.poll(waiting, within).toEqual([]);
    expect(smtp.taken).toEqual([]);
  });
});

test('a mail names the operator and a contact, and says that a program sent it [MAIL-5, CONF-27, CONF-28]', async () => {
  await signUp();
  await expect.poll(() => smtp.taken.length, within).toBe(1);
  const mail = smtp.taken[0]!.replace(/=\n/g, '');
  expect(mail).toContain('Auto-Submitted: auto-generated');
  expect(mail).toMatch(/^From: "?Backchannel"? <no-reply@localhost>$/m);
  expect(mail).toContain(', run by Riverside University');
  expect(mail).toContain('did someone else use your address? Contact help@riverside.example');
});

test('three hundred simultaneous mails are each sent once [MAIL-1]', async () => {
  await app.restart(undefined, {
    SMTP_URL: smtp.url,
    EMAIL_VERIFICATION: 'off',
    LIMIT_MAILS: 'off',
  });
  const ada = await signUp();
  const many = 300;
  for (let n = 0; n < many; n += 50) {
    await Promise.all(
      Array.from({ length: 50 }, () =>
        app.visitor().call('requestPasswordReset', { body: { email: ada.email } }),
      ),
    );
  }
  await expect.poll(waiting, { timeout: 60_000, interval: 200 }).toEqual([]);
  expect(smtp.taken).toHaveLength(many);
});

describe('the operator', () => {
  test('the operator gets a warning at the start if the mail server is unreachable, and the server starts [MAIL-8]', async () => {
    await app.restart(undefined, { SMTP_URL: `smtp://127.0.0.1:${await findFreePort()}` });
    await expect.poll(() => app.logLines.join('\n'), within).toContain('mail.unreachable');
    expect(app.logLines.join('\n')).toContain('"mailProblem":"connection-refused"');
    const page = await app.visitor().fetch('/readyz');
    expect(page.status).toBe(200);
  });

  test('the operator can send a test mail and reads why it failed [ADMIN-10]', async () => {
    const settings = { ...app.database.settings, SMTP_URL: smtp.url };
    const sent = await runAdminCommand(settings, 'test-mail', 'ops@university.edu');
    expect(sent).toMatchObject({ code: 0, errors: [] });
    expect(sent.out).toContain('The mail server took the mail to ops@university.edu.');
    expect(smtp.taken[0]).toContain('To: ops@university.edu');

    smtp.answer('550 5.1.1 no such user');
    const rejected = await runAdminCommand(settings, 'test-mail', 'ops@university.edu');
    expect(rejected.errors[0]).toMatch(/The mail server refused the mail\. It said: 550 5\.1\.1/);
    const nowhere = { ...settings, SMTP_URL: `smtp://127.0.0.1:${await findFreePort()}` };
    const silent = await runAdminCommand(nowhere, 'test-mail', 'ops@university.edu');
    expect(silent.errors[0]).toContain(
      'No mail server listens at the address and port of SMTP_URL.',
    );
    expect((await runAdminCommand(settings, 'test-mail', 'ops')).errors[0]).toContain(
      'is no address',
    );
  });
});
