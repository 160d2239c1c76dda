// The digest, with the real app and a mail server that collects mails.
import { digestDueAt } from '#server/mail/outgoing-mails-queries.ts';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { toMentionToken } from '#contract/mentions.ts';
import { findMarks } from '#tests/anonymity/marks.ts';
import { listDigestsTo, verify } from '#tests/support/digest-mails.ts';
import {
  waitUntilMailsSent,
  toTime,
  open,
  restartAt,
  setClock,
  turnOnDigest,
} from '#tests/support/digests.ts';
import { startFakeSmtp, type FakeSmtp } from '#tests/support/fake-smtp.ts';
import { grantRole, report, suspend } from '#tests/support/moderation.ts';
import {
  chooseNotifications,
  defaultSettings,
  saveSettings,
} from '#tests/support/notifications.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { mailPollMs, shortenIntervals } from '#tests/support/shorten-timers.ts';
import { password, type TestClient } from '#tests/support/test-client.ts';
import { changeStoredAccounts } from '#tests/support/stored-accounts.ts';
import { addTopic } from '#tests/support/topics.ts';

shortenIntervals(mailPollMs, 100);

const settings = { DIGEST_TIME: '17:00', TIME_ZONE: 'UTC', EMAIL_VERIFICATION: 'required' };
const patience = { timeout: 30_000, interval: 50 };

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

const createStudent = () => verify(smtp, app.visitor());
async function waitForDigests(student: TestClient, count: number): Promise<void> {
  await expect.poll(() => listDigestsTo(smtp, student), patience).toHaveLength(count);
}
const listWaitingMails = async () => (await app.database.tables())['outgoingMails'] ?? [];
/** Waits until a digest that the mail server did not take waits for its next attempt. */
async function waitForRetry(): Promise<void> {
  const isRetried = async () =>
    (await listWaitingMails()).some(({ dueAt }) => Number(dueAt) > digestDueAt);
  await expect.poll(isRetried, patience).toBe(true);
}
const post = async (author: TestClient, classId: string, texts: readonly string[]) => {
  const socket = await author.connectTo(classId);
  for (const text of texts) await socket.post(classId, text);
  socket.close();
};
const createTexts = (count: number) => Array.from({ length: count }, (_, n) => `Message ${n}`);

/** Creates a class that Ada writes in, and that the others have opened and want digests of. */
async function createClassWithDigestReaders(count: number) {
  const ada = await createStudent();
  const classId = await ada.createClass();
  const students: TestClient[] = [];
  for (let n = 0; n < count; n++) {
    const student = await turnOnDigest(await createStudent());
    await student.join(classId);
    await open(student, classId);
    students.push(student);
  }
  const [ben, cem] = students as [TestClient, TestClient];
  return { ada, ben, cem, classId };
}

test('a digest has a rounded count per class and nothing of the messages [DIGEST-1, DIGEST-5, ANON-3]', async () => {
  const { ada, ben, cem, classId } = await createClassWithDigestReaders(2);
  const otherClassId = await ada.createClass({ subjectAbbreviation: 'math', courseNumber: '32' });
  await ben.join(otherClassId);
  await open(ben, otherClassId);
  await cem.call('saveDigest', { body: { digest: false } });
  const { me } = await ben.snapshot(classId);
  const secret = 'a very secret text';
  await post(ada, classId, [`${secret} for ${toMentionToken(me.memberId)}`, ...createTexts(2)]);
  await post(ada, otherClassId, createTexts(12));

  await restartAt(app, toTime('19:30'));
  await waitForDigests(ben, 1);
  await waitUntilMailsSent(app);

  expect(listDigestsTo(smtp, cem)).toEqual([]);
  expect(listDigestsTo(smtp, ada)).toEqual([]);
  const [mail = ''] = listDigestsTo(smtp, ben);
  const lines = mail.split('\n');
  expect(lines).toContain('CS 146: fewer than 10 new messages');
  expect(lines).toContain('MATH 32: 10 or more new messages');
  expect(mail).not.toContain('20 or more');

  const { accounts } = await app.database.tables();
  const ids = accounts?.map(({ id }) => ['account', String(id)]) ?? [];
  const marks = {
    ...Object.fromEntries(ids.map(([name, id], n) => [`${name} ${n}`, id ?? ''])),
    secret,
    'member id': me.memberId,
    'class id': classId,
    'other class': otherClassId,
    'other address': ada.email,
  };
  expect(findMarks(marks, mail)).toEqual([]);
  expect(findMarks({ label: 'MATH 32' }, mail)).not.toEqual([]);
  expect(mail).not.toContain(me.anonymousName);
  expect(app.logLines.join('\n')).not.toMatch(/student\d|CS 146|university\.edu/);
});

test('a digest counts only messages that a member missed for hours in followed classes and topics [DIGEST-4]', async () => {
  const { ada, ben, classId } = await createClassWithDigestReaders(1);
  const cem = await createStudent();
  await cem.join(classId);
  const createClassWithPosts = async (courseNumber: string) => {
    const id = await ada.createClass({ courseNumber });
    await ben.join(id);
    await open(ben, id);
    return id;
  };
  const names = ['muted', 'none', 'left', 'ended', 'deleted', 'late', 'own', 'read'] as const;
  const classes = {} as Record<(typeof names)[number], string>;
  for (const [n, name] of names.entries()) classes[name] = await createClassWithPosts(`90${n}`);
  const never = await ada.createClass({ courseNumber: '910' });
  await ben.join(never);
  const { muted, none, left, ended, deleted, late, own, read } = classes;
  const preferences = { ignored: [], hidden: [], muted: true, version: 0 };
  await ben.call('savePreferences', { params: { classId: muted }, body: preferences });
  await chooseNotifications(ben, none, 'none');
  for (const id of [muted, none, left, ended, deleted, read, never]) await post(ada, id, ['Hi']);
  await ben.leave(left);
  await post(ben, own, ['My own']);
  const reader = await ben.connectTo(read);
  const { seq } = await ben.snapshot(read);
  reader.send({ type: 'read', classId: read, seq });
  await reader.request({});
  reader.close();
  // The counted class has an ignored, a hidden, a deleted message, one of a muted topic, and some that count.
  const hiddenMessage = await ada.post(classId, 'hidden');
  const leavingSocket = await ada.connectTo(classId);
  const { id: goneId } = await leavingSocket.post(classId, 'gone');
  await leavingSocket.request({ type: 'delete', classId, messageId: goneId });
  const { topicId } = await addTopic(app, classId);
  await leavingSocket.request({ type: 'post', classId, id: randomUUID(), text: 'Hi', topicId });
  leavingSocket.close();
  await post(cem, classId, createTexts(12));
  const { me: ignored } = await cem.snapshot(classId);
  await ben.call('savePreferences', {
    params: { classId },
    body: {
      ignored: [ignored.memberId],
      hidden: [hiddenMessage.id],
      muted: false,
      mutedTopics: [topicId],
      version: 0,
    },
  });
  await post(ada, classId, createTexts(9));
  setClock(toTime('15:30'));
  await post(ada, classId, createTexts(5));
  await post(ada, late, ['Too late for today']);
  await app.database.query(`update classes set status = 'archived' where "classId" = '${ended}'`);
  await app.database.query(`update classes set status = 'deleted' where "classId" = '${deleted}'`);
  await restartAt(app, toTime('19:10'));
  await waitForDigests(ben, 1);
  const [mail = ''] = listDigestsTo(smtp, ben);

  expect(mail.match(/^.*: .* new messages$/gm)).toEqual(['CS 146: fewer than 10 new messages']);
});

describe('the limit of one a day', () => {
  test('at most one digest leaves a day, whatever the clock says after a restart [DIGEST-2]', async () => {
    const { ada, ben, classId } = await createClassWithDigestReaders(1);
    await post(ada, classId, ['One']);
    await restartAt(app, toTime('19:30'));
    await waitForDigests(ben, 1);
    for (const time of [
      toTime('19:40'),
      toTime('22:30'),
      toTime('17:30'),
      toTime('19:30', -1),
      toTime('21:00'),
    ]) {
      await restartAt(app, time);
      await waitUntilMailsSent(app);
    }

    expect(listDigestsTo(smtp, ben)).toHaveLength(1);

    await restartAt(app, toTime('19:30', 1));
    await waitForDigests(ben, 2);
    // A clock that was wrong by days causes one digest, and the next one follows on the day after.
    await restartAt(app, toTime('19:30', 9));
    await waitForDigests(ben, 3);
    await restartAt(app, toTime('20:30', 1));
    await restartAt(app, toTime('20:40', 1));
    await waitUntilMailsSent(app);
    expect(listDigestsTo(smtp, ben)).toHaveLength(3);

    await restartAt(app, toTime('19:30', 2));
    await waitForDigests(ben, 4);
  });

  test('a digest that the mail server did not take is sent later, once, and not after six hours [DIGEST-2, DIGEST-6]', async () => {
    const { ada, ben, classId } = await createClassWithDigestReaders(1);
    await post(ada, classId, ['One']);
    const port = Number(new URL(smtp.url).port);
    const { taken } = smtp;
    await smtp.stop();

    await restartAt(app, toTime('19:30'));
    await waitForRetry();

    await restartAt(app, toTime('19:40'));
    expect(await listWaitingMails()).toHaveLength(1);

    smtp = await startFakeSmtp(port);
    await restartAt(app, toTime('20:30'));
    await waitForDigests(ben, 1);
    await waitUntilMailsSent(app);
    await smtp.stop();
    await restartAt(app, toTime('19:30', 1));
    await waitForRetry();

    smtp = await startFakeSmtp(port);
    await restartAt(app, toTime('02:00', 2));
    await waitUntilMailsSent(app);
    expect([...taken, ...smtp.taken].filter((mail) => mail.includes('What you missed'))).toEqual(
      [],
    );
  });

  test('a digest is not sent again if it may have arrived [DIGEST-2, DIGEST-6]', async () => {
    const { ada, ben, classId } = await createClassWithDigestReaders(1);
    await post(ada, classId, ['One']);
    const countBefore = smtp.offered();
    smtp.answer('');

    await restartAt(app, toTime('19:30'));

    await expect.poll(smtp.offered, patience).toBe(countBefore + 1);
    expect(await listWaitingMails()).toEqual([]);

    smtp.answer(null);
    smtp.disconnect();
    await expect.poll(() => app.logLines.join('\n'), patience).toContain('"retry":false');

    await restartAt(app, toTime('20:30'));
    await waitUntilMailsSent(app);
    expect(listDigestsTo(smtp, ben)).toEqual([]);

    await restartAt(app, toTime('19:30', 1));
    await waitForDigests(ben, 1);
  });
});

test('an active, paused, suspended, unverified or deleted account gets no digest [DIGEST-3]', async () => {
  const { ada, ben, cem, classId } = await createClassWithDigestReaders(2);
  const students: TestClient[] = [];
  for (let n = 0; n < 3; n++) {
    const student = await turnOnDigest(await createStudent());
    await student.join(classId);
    await open(student, classId);
    students.push(student);
  }
  const [pausedStudent, unverifiedStudent, deletedStudent] = students as [
    TestClient,
    TestClient,
    TestClient,
  ];
  await post(ada, classId, ['One']);
  const suspended = await turnOnDigest(await createStudent());
  await suspended.join(classId);
  await open(suspended, classId);
  const { id: messageId } = await suspended.post(classId, 'bad words');
  await grantRole(app, ada, null, 'Sam');
  await report(ben, classId, { messageId });
  await suspend(app, ada, messageId);
  await post(ada, classId, ['Two']);
  await saveSettings(pausedStudent, { snoozedUntil: toTime('12:00', 1) });
  await deletedStudent.call('deleteAccount', { body: { password, messages: 'keep' } });
  await changeStoredAccounts(app.database, unverifiedStudent.email, { emailVerified: false });
  await restartAt(app, toTime('16:50'));
  // The second student uses the app without this class.
  await cem.call('listClasses', {});
  setClock(toTime('19:30'));
  await waitForDigests(ben, 1);
  await waitUntilMailsSent(app);

  for (const recipient of [cem, pausedStudent, unverifiedStudent, deletedStudent, suspended]) {
    expect(listDigestsTo(smtp, recipient)).toEqual([]);
  }

  // Cem is away on the next day, and the pause is over.
  await restartAt(app, toTime('19:30', 1));
  await waitForDigests(cem, 1);
  await waitForDigests(pausedStudent, 1);
});

describe('the link in the mail', () => {
  async function createDigest() {
    const { ada, ben, classId } = await createClassWithDigestReaders(1);
    await saveSettings(ben, { showText: true });
    await post(ada, classId, ['One']);
    await restartAt(app, toTime('19:30'));
    await waitForDigests(ben, 1);
    const [mail = ''] = listDigestsTo(smtp, ben);
    const url = /^List-Unsubscribe: <([^>]+)>$/m.exec(mail.replace(/\n\s+/g, ' '))?.[1] ?? '';
    return { ada, ben, mail, url };
  }
  const getSettings = (client: TestClient) => client.call('readNotifications', {});

  test('the link in the digest turns it off with one POST, without signing in [DIGEST-8]', async () => {
    const { ben, mail, url } = await createDigest();
    expect(mail).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(url).toMatch(/^http:\/\/[\w.:]+\/unsubscribe\?token=[\w-]{60,160}$/);
    expect(mail.split('\n')).toContain(url);
    const { pathname, search } = new URL(url);
    const path = app.origin + pathname + search;
    const token = new URL(url).searchParams.get('token') ?? '';
    expect(Buffer.from(token, 'base64url').toString('latin1')).not.toMatch(/student|university/);

    for (const method of ['GET', 'HEAD', 'OPTIONS']) await fetch(path, { method });
    expect((await getSettings(ben)).digest).toBe(true);
    const oneClick = {
      method: 'POST',
      body: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
    for (let times = 0; times < 2; times++) {
      const response = await fetch(path, oneClick);
      expect([response.status, await response.json()]).toEqual([200, {}]);
      expect(await getSettings(ben)).toMatchObject({
        digest: false,
        notifications: { ...defaultSettings, showText: true },
      });
    }

    await restartAt(app, toTime('19:30', 20));
    await waitUntilMailsSent(app);
    expect(listDigestsTo(smtp, ben)).toHaveLength(1);

    // Weeks later, after the member turned it on again.
    await turnOnDigest(ben);
    expect((await fetch(path, oneClick)).status).toBe(200);
    expect((await getSettings(ben)).digest).toBe(false);

    await ben.call('deleteAccount', { body: { password, messages: 'keep' } });
    expect((await fetch(path, oneClick)).status).toBe(200);
  });

  test('an invalid link in the digest says so and changes nothing [DIGEST-8]', async () => {
    const { ben, url } = await createDigest();
    const token = new URL(url).searchParams.get('token') ?? '';
    const wrongTokens = [
      `${token}x`,
      token.slice(0, -1),
      token.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
      'x',
      randomUUID(),
      'A'.repeat(900),
    ];

    for (const wrongToken of wrongTokens) {
      await expect(
        app.visitor().call('unsubscribeDigest', { query: { token: wrongToken } }),
      ).rejects.toMatchObject({
        code: 'INVALID_LINK',
        message: 'This link is not valid. You can turn the daily email off on your profile page.',
      });
    }
    for (const query of ['', '?token=', `?token=${'a'.repeat(2000)}`, '?Token=x']) {
      const { status } = await fetch(`${app.origin}/unsubscribe${query}`, { method: 'POST' });
      expect(status).toBe(400);
    }
    expect((await getSettings(ben)).digest).toBe(true);
  });
});

test.each([
  {
    title:
      'a digest that waits to be sent does not leave after it is turned off [DIGEST-6, DIGEST-8]',
    change: (ben: TestClient) => ben.call('saveDigest', { body: { digest: false } }),
  },
  {
    title: 'a waiting digest does not reach a former address of the account [DIGEST-6, ADDRESS-2]',
    change: ({ email }: TestClient) =>
      changeStoredAccounts(app.database, email, { email: `moved.${email}` }),
  },
])('$title', async ({ change }) => {
  const { ada, ben, classId } = await createClassWithDigestReaders(1);
  await post(ada, classId, ['One']);
  smtp.answer('451 4.7.1 later');
  await restartAt(app, toTime('19:30'));
  await waitForRetry();

  await change(ben);
  smtp.answer(null);
  await restartAt(app, toTime('20:30'));
  await waitUntilMailsSent(app);
  // A server that stops waits for the mails that are leaving.
  await restartAt(app, toTime('20:40'));

  expect(listDigestsTo(smtp, ben)).toEqual([]);
});

describe('a copy of the database without the key', () => {
  test('a copy of the database without the key does not tell who gets digests [DIGEST-10]', async () => {
    const { ada, ben, cem, classId } = await createClassWithDigestReaders(2);
    await cem.call('saveDigest', { body: { digest: false } });
    await saveSettings(ada, { showText: true });
    await post(ada, classId, ['One']);
    await app.restart();
    const listStableRows = async () => {
      const tables = await app.database.tables();
      const {
        outgoingMails: _mails,
        serverMetadata: _metadata,
        commitReceipts: _receipts,
        ...otherTables
      } = tables;
      return Object.entries(otherTables).map(([name, rows]) => [
        name,
        rows.map((row) => JSON.stringify(row)).toSorted(),
      ]);
    };
    const rowsBefore = await listStableRows();
    smtp.answer('451 4.7.1 later');

    await restartAt(app, toTime('19:30'));
    await waitForRetry();
    expect(await listStableRows()).toEqual(rowsBefore);

    const { accounts, serverMetadata } = await app.database.tables();
    const sizes = accounts?.map(({ notifications }) => String(notifications).length) ?? [];
    expect(sizes).toHaveLength(3);
    expect(new Set(sizes).size).toBe(1);

    await app.visitor().call('requestPasswordReset', { body: { email: ben.email } });
    const lengths = new Set(
      (await listWaitingMails()).map(({ content }) => String(content).length),
    );
    expect(lengths.size).toBe(1);
    const progress = serverMetadata?.find(({ name }) => name === 'digestProgress');
    expect(String(progress?.['value'])).toMatch(/^[\w-]{100,160}$/);

    const content = await app.database.content();
    for (const readableText of ['showText', 'What you missed', 'unsubscribe']) {
      expect(content).not.toContain(readableText);
    }
  });
});

describe('the setting', () => {
  test('the digest is off at first, and its setting is in the data export [DIGEST-1]', async () => {
    const ada = await createStudent();
    expect(await ada.call('readNotifications', {})).toMatchObject({
      digest: false,
      digestUnavailable: null,
    });

    await turnOnDigest(ada);
    await saveSettings(ada, { showText: true });
    expect(await ada.call('readNotifications', {})).toMatchObject({
      digest: true,
      notifications: { ...defaultSettings, showText: true },
    });

    const file = (await (await ada.fetch('/api/me/export')).json()) as object;
    expect(file).toMatchObject({
      notifications: { ...defaultSettings, showText: true, digest: true },
    });
  });

  test.each([
    ['noMail', { SMTP_URL: '', EMAIL_VERIFICATION: 'off' }],
    ['off', { EMAIL_VERIFICATION: 'off' }],
    ['off', { DIGEST_TIME: 'off' }],
  ] as const)(
    'the settings say why there is no digest: %s with %o [DIGEST-1, DIGEST-7]',
    async (reason, other) => {
      const ada = await turnOnDigest(await createStudent());

      await app.restart(undefined, { SMTP_URL: smtp.url, ...settings, ...other });

      await expect
        .poll(() => ada.call('readNotifications', {}), patience)
        .toMatchObject({ digest: true, digestUnavailable: reason });

      await ada.call('saveDigest', { body: { digest: false } });
      await expect(turnOnDigest(ada)).rejects.toMatchObject({
        code: 'NOT_ALLOWED',
        message: 'This server sends no daily email.',
      });
    },
  );
});

test('a hostile class name adds no line to the digest [DIGEST-5]', async () => {
  const { ada, ben } = await createClassWithDigestReaders(1);
  const classIds: string[] = [];
  for (let n = 0; n < 25; n++) {
    const id = await ada.createClass();
    classIds.push(id);
    await ben.join(id);
    await open(ben, id);
    await post(ada, id, ['Hi']);
  }
  // An import from another system may leave such names.
  const name = `Free money:\r\nhttps://evil.example\u202E ${'Ω'.repeat(80)}`;
  for (const [n, id] of classIds.entries()) {
    await app.database.query(
      `update classes set "subjectAbbreviation" = null, "courseNumber" = null, "courseName" = '${n} ${name}'
       where "classId" = '${id}'`,
    );
  }

  await restartAt(app, toTime('19:30'));
  await waitForDigests(ben, 1);

  const [mail = ''] = listDigestsTo(smtp, ben);
  const listedLines = mail.split('\n').filter((line) => line.includes('FREE MONEY'));
  expect(listedLines.length).toBeGreaterThan(3);
  for (const line of listedLines) expect(line).toMatch(/^\d+ FREE MONEY: HTTPS:.* new messages$/);
  expect(mail).toContain(`\nand ${25 - listedLines.length} more classes\n`);
  expect(mail).not.toMatch(/^HTTPS:/m);
  expect(mail).not.toContain('\u202E');
});
