// How moderators and operators learn that something waits for them.
import { afterEach, expect, test, vi } from 'vitest';
import { restartAt, setClock, toTime, waitUntilMailsSent } from '#tests/support/digests.ts';
import { applyDecisions, decide, grantRole, report } from '#tests/support/moderation.ts';
import { revokeRoleByCommand } from '#tests/support/roles.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

let app: RunningApp;
afterEach(async () => {
  await app.stop();
  vi.useRealTimers();
});

const noWork = {
  ...{ openCases: 0, escalations: 0, appeals: 0, unmaskings: 0, reportsFromOutside: 0 },
  oldestDay: null,
};
const getWork = (viewer: TestClient) => viewer.call('readWaitingWork', {});
const listMails = ({ email }: TestClient) =>
  app.mails().filter((mail) => mail.includes(`To: ${email}`) && mail.includes(mailSubject));
const mailSubject = 'Something waits for your decision';
const getText = (mail: string) => mail.slice(mail.search(/\r?\n\r?\n/));

async function setScene() {
  const operator = await app.createStudent();
  const moderator = await app.createStudent();
  const author = await app.createStudent();
  const student = await app.createStudent();
  const classId = await student.createClass();
  await author.join(classId);
  await grantRole(app, operator, null, 'Olga');
  await grantRole(app, moderator, classId, 'Kim');
  const say = async () => (await author.post(classId, 'Bad words')).id;
  /** The operator mutes the author after a report, and the author appeals. */
  const muteAndAppeal = async () => {
    const messageId = await say();
    await report(student, classId, { messageId });
    await decide(operator, messageId, { sanction: { kind: 'mute', hours: 168 } });
    await applyDecisions(app);
    const { sanctions } = await author.call('listOwnSanctions', {});
    const { sanctionId } = sanctions[0]!;
    await author.call('appeal', { params: { sanctionId }, body: { text: 'It was a quote' } });
  };
  return { operator, moderator, author, student, classId, say, muteAndAppeal };
}

test('the numbers are of what the viewer can decide [MOD-100]', async () => {
  app = await startApp();
  const { operator, moderator, student, author, classId, say } = await setScene();
  expect(await getWork(moderator)).toEqual(noWork);
  expect(await getWork(student)).toEqual(noWork);

  const first = await say();
  const second = await say();
  await report(student, classId, { messageId: first });
  await report(student, classId, { messageId: second, operatorsOnly: true });

  const today = new Date().toISOString().slice(0, 10);
  expect(await getWork(moderator)).toEqual({ ...noWork, openCases: 1, oldestDay: today });
  expect(await getWork(operator)).toEqual({ ...noWork, openCases: 2, oldestDay: today });

  await decide(moderator, first, {});
  expect(await getWork(moderator)).toEqual(noWork);
  await grantRole(app, author, classId, 'Concerned');
  await report(student, classId, { messageId: await say() });
  expect(await getWork(author)).toEqual(noWork);
});

test('the numbers of a moderator have no case or appeal that only operators see [MOD-100, MOD-96]', async () => {
  app = await startApp();
  const { operator, moderator, student, author, classId, muteAndAppeal } = await setScene();
  await muteAndAppeal();
  await report(student, classId, { memberId: (await author.snapshot(classId)).me.memberId });
  expect(await getWork(moderator)).toMatchObject({ openCases: 1, appeals: 1 });

  // From now on, no one can tell whose persona it is.
  const archived = await runAdminCommand(app.database.settings, 'archive-class', classId);

  expect(archived).toMatchObject({ code: 0 });
  expect(await getWork(moderator)).toEqual(noWork);
  expect(await getWork(operator)).toMatchObject({ openCases: 1, appeals: 1 });
});

test('an appeal against an own decision counts only if no one else can decide it [MOD-100, APPEAL-11]', async () => {
  app = await startApp();
  const { operator, moderator, classId, muteAndAppeal } = await setScene();

  await muteAndAppeal();
  expect(await getWork(operator)).toEqual(noWork);
  expect(await getWork(moderator)).toMatchObject({ appeals: 1 });

  await revokeRoleByCommand(app.database.settings, { email: moderator.email, classId });
  expect(await getWork(operator)).toMatchObject({ appeals: 1 });
});

test('more work is mailed, at most once an hour and without content [MOD-100]', async () => {
  setClock(toTime('12:00'));
  app = await startApp({ TIME_ZONE: 'UTC' });
  const { operator, moderator, student, classId, say } = await setScene();
  const passTime = (time: string) => restartAt(app, toTime(time));
  await report(student, classId, { messageId: await say(), text: 'A private reason' });

  await passTime('12:10');
  await expect.poll(() => listMails(moderator).length).toBe(1);
  await waitUntilMailsSent(app);
  expect(listMails(operator)).toHaveLength(1);
  const [mail] = listMails(moderator);
  expect(mail).toContain('/moderation');
  expect(mail).not.toMatch(/private reason|Bad words|CS 146/i);

  await report(student, classId, { messageId: await say() });
  await passTime('12:20');
  await passTime('12:40');
  // The mails that the start at 12:20 would have queued.
  await waitUntilMailsSent(app);
  expect(listMails(moderator)).toHaveLength(1);

  await passTime('13:30');
  await expect.poll(() => listMails(moderator).length).toBe(2);
  // Nothing new. The second start sends what the first one would have queued.
  await passTime('15:00');
  await passTime('15:10');
  await waitUntilMailsSent(app);
  expect(listMails(moderator)).toHaveLength(2);
});

test('A report from outside counts for operators, and is mailed to them without content [OUT-6]', async () => {
  setClock(toTime('12:00'));
  app = await startApp({ TIME_ZONE: 'UTC' });
  const { operator, moderator } = await setScene();

  await app.visitor().call('reportFromOutside', {
    body: { what: 'A lie about me', place: 'Somewhere', contactAddress: 'out@side.example' },
  });

  const oldestDay = new Date().toISOString().slice(0, 10);
  expect(await getWork(operator)).toEqual({ ...noWork, reportsFromOutside: 1, oldestDay });
  expect(await getWork(moderator)).toEqual(noWork);
  await restartAt(app, toTime('12:10'));
  await expect.poll(() => listMails(operator).length).toBe(1);
  expect(listMails(operator)[0]).not.toMatch(/A lie|Somewhere|side\.example/);
  expect(listMails(moderator)).toEqual([]);
});

test('A reported moderator gets the same mail as the others [MOD-100, MOD-96]', async () => {
  setClock(toTime('12:00'));
  app = await startApp({ TIME_ZONE: 'UTC' });
  const { moderator, student, author, classId, say } = await setScene();
  await grantRole(app, author, classId, 'Concerned');
  await report(student, classId, { messageId: await say() });

  await restartAt(app, toTime('12:10'));
  await expect.poll(() => listMails(moderator).length).toBe(1);
  await waitUntilMailsSent(app);

  const [ownText, ...furtherTexts] = listMails(author).map(getText);
  expect(furtherTexts).toEqual([]);
  expect(ownText).toBe(listMails(moderator).map(getText)[0]);
  expect(await getWork(author)).toEqual(noWork);
});

test('The reply with the waiting work has one size [MOD-100]', async () => {
  app = await startApp();
  const { moderator, student, author, classId, say } = await setScene();
  await grantRole(app, author, classId, 'Concerned');
  await report(student, classId, { messageId: await say() });

  const replies = await Promise.all(
    [moderator, author].map(async (viewer) => (await viewer.fetch('/api/moderation/work')).text()),
  );

  expect(replies[0]).not.toBe(replies[1]);
  expect(replies[0]).toHaveLength(replies[1]!.length);
});

test('metrics have the age of the oldest case in coarse steps [METRIC-15]', async () => {
  app = await startApp();
  const { student, classId, say } = await setScene();
  const getAge = async () => {
    const page = await (await fetch(`${app.origin}/metrics`)).text();
    return /^backchannel_oldest_case_days (\d+)$/m.exec(page)?.[1];
  };
  await report(student, classId, { messageId: await say() });

  await app.restart();
  expect(await getAge()).toBe('0');
  await app.restart(() => app.database.query('update reports set day = day - 9'));
  expect(await getAge()).toBe('7');
});
