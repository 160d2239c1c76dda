// Reports of threats on the devices of operators.
import { beforeEach, expect, test } from 'vitest';
import { grantRole, report } from '#tests/support/moderation.ts';
import {
  chooseNotifications,
  saveSettings,
  turnOnNotifications,
} from '#tests/support/notifications.ts';
import type { PushBrowser } from '#tests/support/push-service.ts';
import { setUpPushApp } from '#tests/support/set-up-push-app.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';

const { app, service } = setUpPushApp({ LIMITS: 'urgentMails=2/1h' });

let operator: TestClient;
let operatorDevice: PushBrowser;
let scene: { ada: TestClient; ben: TestClient; classId: string };
beforeEach(async () => {
  operator = await app.createStudent();
  await grantRole(app, operator, null, 'Kim');
  operatorDevice = await turnOnNotifications(operator, service);
  scene = await createClassWithTwoMembers(app);
});

/** A member reports a new message as a threat. */
async function reportThreat(): Promise<string> {
  const { ada, ben, classId } = scene;
  const { id } = await ada.post(classId, 'A bad word');
  await report(ben, classId, { messageId: id, reason: 'threat', text: 'secret' });
  return id;
}

/** Waits for a notification of the operator that follows the earlier ones. */
async function waitForNextNotification(): Promise<void> {
  const { ada, classId } = scene;
  await operator.join(classId);
  await chooseNotifications(operator, classId, 'all');
  await ada.post(classId, 'Hello');
  await operatorDevice.waitFor(classId);
}

const listThreats = ({ received }: PushBrowser) =>
  received.filter(({ payload }) => payload.classId === null);

test('a notification of a threat says no more to operators than the mail [PUSH-37, PUSH-20]', async () => {
  const moderator = await app.createStudent();
  await grantRole(app, moderator, scene.classId, 'Robin');
  const otherDevices = [
    await turnOnNotifications(moderator, service),
    await turnOnNotifications(scene.ada, service),
  ];
  const messageId = await reportThreat();

  await expect.poll(() => listThreats(operatorDevice).length).toBe(1);
  const { payload, text, bytes, headers } = listThreats(operatorDevice)[0]!;
  expect(payload).toEqual({ classId: null, title: 'An urgent report', unread: 0, close: [] });

  const { ada, ben, classId } = scene;
  const { me } = await ada.snapshot(classId);
  for (const content of ['bad', 'secret', classId, messageId, ben.email, 'CS 146', me.memberId]) {
    expect(text).not.toContain(content);
  }
  expect(service.problems).toEqual([]);

  // The push service cannot distinguish it from other notifications.
  await operator.join(classId);
  await operator.call('chooseNotifications', { params: { classId }, body: { notify: 'all' } });
  await ada.post(classId, 'Hello');
  const usual = await operatorDevice.waitFor(classId);
  const getVisibleParts = (push: typeof usual) => [
    push.bytes,
    push.headers['ttl'],
    push.headers['urgency'],
  ];
  expect([bytes, headers['ttl'], headers['urgency']]).toEqual(getVisibleParts(usual));
  expect(headers['topic']).toMatch(/^[\w-]{24}$/);
  expect(otherDevices.flatMap(listThreats)).toEqual([]);
});

test('a notification of a threat reaches all devices in quiet hours and pauses, too [PUSH-37]', async () => {
  const phone = operator.newBrowser();
  await phone.signIn();
  const phoneDevice = await turnOnNotifications(phone, service);
  await saveSettings(operator, {
    quietHours: { from: '00:00', to: '23:59', timeZone: 'UTC' },
    snoozedUntil: Date.now() + 60_000,
  });
  await reportThreat();

  for (const device of [operatorDevice, phoneDevice]) {
    await expect.poll(() => listThreats(device).length).toBe(1);
  }
});

test('notifications of threats share the limit of the mails [PUSH-37]', async () => {
  const { ada, ben, classId } = scene;
  const { id } = await ada.post(classId, 'Buy this');
  await report(ben, classId, { messageId: id, reason: 'spam' });
  for (let n = 0; n < 4; n++) await reportThreat();

  await expect.poll(() => listThreats(operatorDevice).length).toBe(2);

  await waitForNextNotification();
  expect(listThreats(operatorDevice)).toHaveLength(2);

  // A queued mail would have been sent after that.
  await app.restart();
  const listOperatorMails = () =>
    app.mails().filter((mail) => mail.includes(`To: ${operator.email}`));
  await expect.poll(listOperatorMails).toHaveLength(2);
});
