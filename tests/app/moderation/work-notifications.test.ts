// Waiting work on the devices of moderators who want to know of it.
import { expect, test } from 'vitest';
import { grantRole, report } from '#tests/support/moderation.ts';
import { saveSettings, turnOnNotifications } from '#tests/support/notifications.ts';
import type { PushBrowser } from '#tests/support/push-service.ts';
import { setUpPushApp } from '#tests/support/set-up-push-app.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import { waitUntilMailsSent } from '#tests/support/digests.ts';

const { app, service } = setUpPushApp();

const listWork = ({ received }: PushBrowser) =>
  received.filter(({ payload }) => payload.classId === null);
const listWorkMails = ({ email }: TestClient) =>
  app
    .mails()
    .filter(
      (mail) => mail.includes(`To: ${email}`) && mail.includes('Something waits for your decision'),
    );

test('moderators who want it are notified of waiting work with the mail, without content [PUSH-43, PUSH-20]', async () => {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const reportNext = async () => {
    const { id } = await ada.post(classId, 'Bad words');
    await report(ben, classId, { messageId: id, reason: 'harassment', text: 'secret' });
  };
  const createModerator = async () => {
    const moderator = await app.createStudent();
    await grantRole(app, moderator, classId, 'Robin');
    return { moderator, device: await turnOnNotifications(moderator, service) };
  };
  const willing = await createModerator();
  const unasked = await createModerator();
  const quiet = await createModerator();
  const snoozedUntil = Date.now() + 60_000;
  await saveSettings(willing.moderator, { waitingWork: true });
  await saveSettings(quiet.moderator, { waitingWork: true, snoozedUntil });
  // Members without a role get nothing, whatever they chose.
  const memberDevice = await turnOnNotifications(ben, service);
  await saveSettings(ben, { waitingWork: true });

  await reportNext();
  await app.restart();
  await expect.poll(() => listWork(willing.device).length).toBe(1);

  const [push] = listWork(willing.device);
  expect(push?.payload).toEqual({
    classId: null,
    work: true,
    title: 'Something waits for your decision',
    unread: 0,
    close: [],
  });
  await reportNext();
  await app.restart();
  await waitUntilMailsSent(app);
  // The mails of the first check: the second one came less than an hour later.
  for (const { moderator } of [willing, unasked, quiet]) {
    expect(listWorkMails(moderator)).toHaveLength(1);
  }
  expect(listWork(willing.device)).toHaveLength(1);
  for (const device of [unasked.device, quiet.device, memberDevice]) {
    expect(listWork(device)).toEqual([]);
  }
  expect(service.problems).toEqual([]);
});

test('a page that does not know the choice of waiting work leaves it as it is [PUSH-43]', async () => {
  const student = await app.createStudent();
  await saveSettings(student, { waitingWork: true });

  await student.call('saveNotifications', {
    body: { showText: true, quietHours: null, snoozedUntil: null },
  });

  expect((await student.call('readNotifications', {})).notifications).toMatchObject({
    showText: true,
    waitingWork: true,
  });
});
