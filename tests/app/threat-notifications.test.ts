// Reports of threats on the devices of operators.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { grantRole, report } from '#tests/support/moderation.ts';
import { saveSettings, turnOn } from '#tests/support/notifications.ts';
import type { PushBrowser } from '#tests/support/push-service.ts';
import { setUpPushApp } from '#tests/support/set-up-push-app.ts';
import { twoInAClass, type TestClient } from '#tests/support/test-client.ts';

const { app, service } = setUpPushApp({ LIMIT_URGENT_MAILS: '2/1h' });

let operator: TestClient;
let ofOperator: PushBrowser;
let scene: { ada: TestClient; ben: TestClient; classId: string };
beforeEach(async () => {
  operator = await app.newStudent();
  await grantRole(app, operator, null, 'Kim');
  ofOperator = await turnOn(operator, service);
  scene = await twoInAClass(app);
});

/** A member reports a new message as a threat. */
async function reportThreat(): Promise<string> {
  const { ada, ben, classId } = scene;
  const { id } = await ada.post(classId, 'A bad word');
  await report(ben, classId, { messageId: id, reason: 'threat', text: 'secret' });
  return id;
}

const threats = ({ received }: PushBrowser) =>
  received.filter(({ payload }) => payload.classId === null);

test('a report of a threat notifies operators and says no more than the mail [PUSH-37, PUSH-20]', async () => {
  const moderator = await app.newStudent();
  await grantRole(app, moderator, scene.classId, 'Robin');
  const ofOthers = [await turnOn(moderator, service), await turnOn(scene.ada, service)];
  const messageId = await reportThreat();
  await expect.poll(() => threats(ofOperator).length).toBe(1);
  const { payload, text, bytes, headers } = threats(ofOperator)[0]!;
  expect(payload).toEqual({ classId: null, title: 'An urgent report', unread: 0, close: [] });
  const { ada, ben, classId } = scene;
  const { me } = await ada.snapshot(classId);
  for (const content of ['bad', 'secret', classId, messageId, ben.email, 'CS 146', me.memberId]) {
    expect(text).not.toContain(content);
  }
  expect(service.problems).toEqual([]);
  // To the push service, it looks like the others.
  await operator.join(classId);
  await operator.call('chooseNotifications', { params: { classId }, body: { notify: 'all' } });
  await ada.post(classId, 'Hello');
  const usual = await ofOperator.waitFor(classId);
  const seen = (one: typeof usual) => [one.bytes, one.headers['ttl'], one.headers['urgency']];
  expect([bytes, headers['ttl'], headers['urgency']]).toEqual(seen(usual));
  expect(headers['topic']).toMatch(/^[\w-]{24}$/);
  expect(ofOthers.flatMap(threats)).toEqual([]);
});

test('it comes in quiet hours and pauses too, on all devices [PUSH-38]', async () => {
  const phone = operator.newBrowser();
  await phone.signIn();
  const ofPhone = await turnOn(phone, service);
  await saveSettings(operator, {
    quietHours: { from: '00:00', to: '23:59', timeZone: 'UTC' },
    snoozedUntil: Date.now() + 60_000,
  });
  await reportThreat();
  for (const device of [ofOperator, ofPhone]) {
    await expect.poll(() => threats(device).length).toBe(1);
  }
});

test('it has the limit of the mails, and a report that is not of a threat notifies no one [PUSH-37]', async () => {
  const { ada, ben, classId } = scene;
  const { id } = await ada.post(classId, 'Buy this');
  await report(ben, classId, { messageId: id, reason: 'spam' });
  for (let n = 0; n < 4; n++) await reportThreat();
  await expect.poll(() => threats(ofOperator).length).toBe(2);
  await sleep(500);
  expect(threats(ofOperator)).toHaveLength(2);
  const mails = app.mails().filter((mail) => mail.includes(`To: ${operator.email}`));
  expect(mails).toHaveLength(2);
});

test('who is no operator when it is sent gets none [PUSH-23, PUSH-37]', async () => {
  service.answer(ofOperator, [{ status: 503 }]);
  await reportThreat();
  await expect.poll(() => service.requestsFor(ofOperator)).toBe(1);
  // Not by the command: a busy machine starts it later than the server tries again.
  await app.database.query('delete from roles');
  await sleep(6000);
  expect(service.requestsFor(ofOperator)).toBe(1);
});
