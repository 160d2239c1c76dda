// The queue of mails, with the real app and database and a fake mail server.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { grantRole, report } from '#tests/support/moderation.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { startFakeSmtp, type FakeSmtp } from '#tests/support/fake-smtp.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
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

const patience = { timeout: 20_000, interval: 50 };
const listWaitingMails = async () => (await app.database.tables())['outgoingMails']!;
/** Makes the next attempt due. */
const makeDue = () => app.database.query('update "outgoingMails" set "dueAt" = 0');
/** @returns whether the time of the next attempt is stored */
const isLater = async () => Number((await listWaitingMails())[0]!['dueAt']) > Date.now();
const listFailures = () =>
  app.logLines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event === 'mail.failed')
    .map(({ event: _e, time: _t, level: _l, ...fields }) => fields);

async function signUp(name = 'ada') {
  const student = app.visitor(name);
  await student.signUp();
  return student;
}

test('a sign-up adds no mail to a full queue, and its reply does not say so [MAIL-13]', async () => {
  await app.database.query(
    `insert into "outgoingMails" (id, "dueAt", content)
     with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 5000)
     select 'mail ' || n, ${Date.now() + 86_400_000}, '' from numbers`,
  );

  const reply = await app.visitor('ada').signUp();
  const rowsWhileFull = await listWaitingMails();
  await app.database.query(`delete from "outgoingMails" where id = 'mail 1'`);
  const signUpBen = async () => {
    await app.visitor('ben').signUp();
    return smtp.taken.some((mail) => mail.includes('To: ben@'));
  };

  expect(reply).toEqual({ verify: true });
  expect(rowsWhileFull).toHaveLength(5000);
  const fullLines = app.logLines.filter((line) => line.includes('mail.queue-full'));
  expect(fullLines.map((line) => Object.keys(JSON.parse(line) as object))).toEqual([
    ['level', 'time', 'event'],
  ]);
  await expect.poll(signUpBen, patience).toBe(true);
});

describe('a mail that is not accepted', () => {
  test('a mail is retried after a temporary error, and the log has the reason without the address [MAIL-1, MAIL-3]', async () => {
    smtp.answer('451 4.7.1 <ada@university.edu>: Greylisted, try again in 5 minutes');
    const startedAt = Date.now();

    await signUp();

    await expect
      .poll(listFailures, patience)
      .toEqual([{ mailProblem: 'rejected', smtpCode: 451, enhancedStatus: '4.7.1', retry: true }]);
    await expect.poll(isLater, patience).toBe(true);

    const [{ dueAt } = {}] = await listWaitingMails();
    expect(Number(dueAt) % 300_000).toBe(0);
    expect(Number(dueAt)).toBeGreaterThanOrEqual(startedAt + 60_000);
    expect(Number(dueAt)).toBeLessThanOrEqual(Date.now() + 6 * 60_000);
    expect(app.logLines.join('\n')).not.toMatch(/ada|university\.edu|Greylisted/);

    smtp.answer(null);
    await makeDue();

    await expect.poll(() => smtp.taken.length, patience).toBe(1);
    expect(smtp.taken[0]).toContain('To: ada@university.edu');
    await expect.poll(listWaitingMails, patience).toEqual([]);
  });

  test('a mail waits through a restart while no mail server listens [MAIL-1, MAIL-4, MAIL-3]', async () => {
    await smtp.stop();

    await signUp();

    await expect
      .poll(listFailures, patience)
      .toEqual([{ mailProblem: 'connection-refused', retry: true }]);
    await expect.poll(isLater, patience).toBe(true);

    await app.restart(makeDue);
    await expect.poll(() => listFailures().length, patience).toBe(2);
    await expect.poll(isLater, patience).toBe(true);

    smtp = await startFakeSmtp(Number(new URL(smtp.url).port));
    await makeDue();
    await expect.poll(() => smtp.taken.length, patience).toBe(1);
    await expect.poll(listWaitingMails, patience).toEqual([]);
  });

  test('when one mail goes through after an outage, the mails that it delayed leave now, and a rejected one keeps its time [MAIL-14]', async () => {
    smtp.answer('451 4.7.1 later');
    await signUp('rejected');
    await expect.poll(() => listFailures().length, patience).toBe(1);
    await smtp.stop();
    for (const name of ['ben', 'cleo']) await signUp(name);
    await expect.poll(() => listFailures().length, patience).toBe(3);
    const areLater = async () =>
      (await listWaitingMails()).every(({ dueAt }) => Number(dueAt) > Date.now());
    await expect.poll(areLater, patience).toBe(true);

    smtp = await startFakeSmtp(Number(new URL(smtp.url).port));
    await signUp('dora');

    await expect.poll(() => smtp.taken.length, patience).toBe(3);
    expect(smtp.recipients[0]).toBe('dora@university.edu');
    await expect.poll(async () => (await listWaitingMails()).length, patience).toBe(1);
    expect(await areLater()).toBe(true);
  });

  test('after a restart, a check that succeeds sends the mails of an outage, those about threats first [MAIL-14, MAIL-15]', async () => {
    const settings = { SMTP_URL: smtp.url, EMAIL_VERIFICATION: 'off' };
    await app.restart(undefined, settings);
    const operator = await app.createStudent();
    await grantRole(app, operator, null, 'Kim');
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    await expect.poll(listWaitingMails, patience).toEqual([]);
    await smtp.stop();
    for (let n = 0; n < 7; n++) {
      await app.visitor().call('requestPasswordReset', { body: { email: ada.email } });
    }
    const { id } = await ada.post(classId, 'A bad word');
    await report(ben, classId, { messageId: id, reason: 'threat', text: '' });
    await expect.poll(() => listFailures().length, patience).toBe(8);
    await expect.poll(isLater, patience).toBe(true);

    const queue = await runAdminCommand({ ...app.database.settings, ...settings }, 'mails');
    expect(queue.out).toMatch(
      /^Mails +Attempts +Next \(UTC\)\n(?:.*\n)? +7 +1 +[-\d]{10} \d\d:\d[05]$/m,
    );
    expect(queue.out).toMatch(/^ +1 +1 +[-\d]{10} \d\d:\d[05] +urgent$/m);
    expect(queue.out).not.toContain('@');

    await app.restart(async () => {
      smtp = await startFakeSmtp(Number(new URL(smtp.url).port));
    }, settings);

    await expect.poll(listWaitingMails, patience).toEqual([]);
    // Five mails leave at the same time.
    const firstMails = smtp.taken.slice(0, 5).join('\n');
    expect(firstMails).toContain('Subject: An urgent report');
  });

  test('a command makes the running server try all waiting mails [MAIL-15]', async () => {
    smtp.answer('451 4.7.1 later');
    await signUp();
    await expect.poll(isLater, patience).toBe(true);
    smtp.answer(null);

    const { out } = await runAdminCommand(
      { ...app.database.settings, SMTP_URL: smtp.url },
      'mails',
      '--send-now',
    );

    expect(out).toContain('tries all of them within seconds');
    await expect.poll(listWaitingMails, patience).toEqual([]);
    expect(smtp.taken).toHaveLength(1);
  });

  test('a mail is dropped immediately after a permanent error [MAIL-1, MAIL-3]', async () => {
    smtp.answer('550 5.1.1 <ada@university.edu> unknown user');

    await signUp();

    await expect
      .poll(listFailures, patience)
      .toEqual([{ mailProblem: 'rejected', smtpCode: 550, enhancedStatus: '5.1.1', retry: false }]);
    await expect.poll(listWaitingMails, patience).toEqual([]);
    expect(smtp.offered()).toBe(1);
    expect(app.logLines.join('\n')).not.toMatch(/ada|university\.edu|unknown/);
  });
});

describe('the queue in the database', () => {
  test('the queue has an equal row for an unknown address, and that row is not sent [MAIL-4, AUTH-11]', async () => {
    await app.restart(undefined, { SMTP_URL: smtp.url, EMAIL_VERIFICATION: 'off' });
    const ada = await signUp();
    const askFor = (email: string) =>
      app.visitor().call('requestPasswordReset', { body: { email } });
    // The mails of one parallel batch never finish, so all later rows stay in the table.
    smtp.answer('');
    const batchSize = 5;

    for (let n = 0; n < batchSize; n++) await askFor(ada.email);

    await expect.poll(smtp.offered, patience).toBe(batchSize);

    const shapes: unknown[] = [];
    for (const email of [ada.email, 'nobody@university.edu']) {
      const startedAt = new Set((await listWaitingMails()).map(({ id }) => id));
      await askFor(email);
      const addedRows = (await listWaitingMails()).filter(({ id }) => !startedAt.has(id));
      shapes.push(
        addedRows.map(({ id, dueAt, content }) => [
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
    await expect.poll(() => listFailures().length, patience).toBe(batchSize);
    await expect.poll(async () => (await listWaitingMails()).length, patience).toBe(batchSize);

    await makeDue();
    await expect.poll(listWaitingMails, patience).toEqual([]);
    expect(smtp.taken).toHaveLength(batchSize + 1);
    for (const mail of smtp.taken) expect(mail).toContain('To: ada@university.edu');
  });

  test('a stored mail that was moved to another id is unreadable [MAIL-4]', async () => {
    smtp.answer('451 4.7.1 later');

    await signUp();

    await expect.poll(() => listFailures().length, patience).toBe(1);
    await expect.poll(isLater, patience).toBe(true);

    await app.database.query(`update "outgoingMails" set id = 'another', "dueAt" = 0`);
    await expect
      .poll(() => listFailures().at(-1), patience)
      .toEqual({ mailProblem: 'unreadable', retry: false });
    await expect.poll(listWaitingMails, patience).toEqual([]);
    expect(smtp.taken).toEqual([]);
  });
});

test('a mail names the organization and a contact, and says that a program sent it [MAIL-5]', async () => {
  await signUp();
  await expect.poll(() => smtp.taken.length, patience).toBe(1);
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
  });
  const ada = await signUp();
  const mailCount = 300;

  for (let n = 0; n < mailCount; n += 50) {
    await Promise.all(
      Array.from({ length: 50 }, () =>
        app.visitor().call('requestPasswordReset', { body: { email: ada.email } }),
      ),
    );
  }

  await expect.poll(listWaitingMails, { timeout: 60_000, interval: 200 }).toEqual([]);
  expect(smtp.taken).toHaveLength(mailCount);
});

describe('the administrator', () => {
  test('the server starts with a warning in the log if the mail server is unreachable [MAIL-8]', async () => {
    await app.restart(undefined, { SMTP_URL: `smtp://127.0.0.1:${await findFreePort()}` });
    await expect.poll(() => app.logLines.join('\n'), patience).toContain('mail.unreachable');
    expect(app.logLines.join('\n')).toContain('"mailProblem":"connection-refused"');

    const page = await app.visitor().fetch('/readyz');
    expect(page.status).toBe(200);
  });

  test('the administrator can send a test mail and reads why it failed [ADMIN-10]', async () => {
    const settings = { ...app.database.settings, SMTP_URL: smtp.url };

    const success = await runAdminCommand(settings, 'test-mail', 'ops@university.edu');

    expect(success).toMatchObject({ code: 0, errors: [] });
    expect(success.out).toContain('The mail server took the mail to ops@university.edu.');
    expect(smtp.taken[0]).toContain('To: ops@university.edu');

    smtp.answer('550 5.1.1 no such user');

    const failure = await runAdminCommand(settings, 'test-mail', 'ops@university.edu');

    expect(failure.errors[0]).toMatch(/The mail server refused the mail\. It said: 550 5\.1\.1/);

    const nowhere = { ...settings, SMTP_URL: `smtp://127.0.0.1:${await findFreePort()}` };
    const unreachable = await runAdminCommand(nowhere, 'test-mail', 'ops@university.edu');
    expect(unreachable.errors[0]).toContain(
      'No mail server listens at the address and port of SMTP_URL.',
    );
    expect((await runAdminCommand(settings, 'test-mail', 'ops')).errors[0]).toContain(
      'is no address',
    );
  });
});
