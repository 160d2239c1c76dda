// Attacks that could misdirect, reveal or prevent notifications.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { toMentionToken } from '#contract/mentions.ts';
import {
  applyDecisions,
  decide,
  decideReview,
  grantRole,
  report,
} from '#tests/support/moderation.ts';
import {
  chooseNotifications,
  createPushBarrier,
  saveSettings,
  turnOnNotifications,
} from '#tests/support/notifications.ts';
import {
  startPushService,
  type PushBrowser,
  type PushService,
} from '#tests/support/push-service.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { grantStaff } from '#tests/support/staff.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import { changeStoredAccounts, listStoredSessions } from '#tests/support/stored-accounts.ts';

let app: RunningApp;
let service: PushService;
let other: PushService;
let waitForNotifications: () => Promise<void>;
beforeAll(async () => {
  service = await startPushService();
  other = await startPushService();
  app = await startApp({ PUSH_HOSTS: `${service.host},${other.host}`, PUSH_DELAY: '0' });
  waitForNotifications = await createPushBarrier(app, service);
});
afterAll(async () => {
  await app.stop();
  await service.close();
  await other.close();
});

afterEach(() => vi.useRealTimers());

/** Ada writes in the class. Ben and Cem get notifications of all messages. */
let ada: TestClient;
let ben: TestClient;
let cem: TestClient;
let classId: string;
let benDevice: PushBrowser;
let cemDevice: PushBrowser;
beforeEach(async () => {
  ({ ada, ben, classId } = await createClassWithTwoMembers(app));
  cem = await app.createStudent();
  await cem.join(classId);
  for (const student of [ben, cem]) await chooseNotifications(student, classId, 'all');
  benDevice = await turnOnNotifications(ben, service);
  cemDevice = await turnOnNotifications(cem, service);
});

/** Posts, and waits until everyone whom the message concerns must have been notified. */
async function postAndWait(text: string): Promise<void> {
  const countBefore = cemDevice.listPushes(classId).length;
  await ada.post(classId, text);
  await cemDevice.waitFor(classId, countBefore + 1);
  await waitForNotifications();
}

describe('no notification reaches a device', () => {
  test('a suspended account gets no notification [PUSH-35]', async () => {
    const operator = await app.createStudent();
    await grantRole(app, operator, null, `Sam ${randomUUID().slice(0, 8)}`);
    const { id: messageId } = await ben.post(classId, 'bad words');
    await report(ada, classId, { messageId });
    const escalatedCase = await decide(operator, messageId, { escalate: true });
    await applyDecisions(app);
    await decideReview(operator, escalatedCase, { decision: 'suspend', days: 7 });

    await applyDecisions(app);

    expect((await ben.call('me', {})).account).toMatchObject({ suspended: true });

    // The server forgets what was notified, so that a message notifies again.
    await app.restart();
    const countBefore = benDevice.received.length;
    await postAndWait('Only for members');
    expect(benDevice.received).toHaveLength(countBefore);
  });

  test('an unverified account gets no notification if verification is required [PUSH-35]', async () => {
    const verify = async () => {
      await changeStoredAccounts(app.database, null, { emailVerified: true });
      await changeStoredAccounts(app.database, ben.email, { emailVerified: false });
    };

    await app.restart(verify, { EMAIL_VERIFICATION: 'required' });

    expect((await ben.call('me', {})).account).toBeNull();

    await postAndWait('Only for members');
    expect(benDevice.received).toEqual([]);

    await app.restart();
  });

  test('if several accounts subscribe one browser simultaneously, only one stays subscribed [PUSH-6]', async () => {
    const people = [ben, cem, ada];

    for (let round = 0; round < 10; round++) {
      const body = service.newBrowser().subscription;
      await Promise.all(people.map((student) => student.call('subscribePush', { body })));
      const subscribed = await Promise.all(
        people.map((student) => student.call('readNotifications', {})),
      );
      expect(subscribed.filter((settings) => settings.subscribed)).toHaveLength(1);
      const sessions = await Promise.all(
        people.map(({ email }) => listStoredSessions(app.database, email)),
      );
      expect(sessions.flat().filter(({ push }) => push !== null)).toHaveLength(1);
    }
  });

  test('staff are notified of mentions of and replies to their staff persona [PUSH-13]', async () => {
    await grantStaff(app, ben, classId, 'Prof. Lee');
    const bensSocket = await ben.connectTo(classId);
    const { staff } = await bensSocket.waitFor('live');
    const id = randomUUID();
    await bensSocket.request({ type: 'post', classId, id, text: 'Welcome', staff: true });

    await cemDevice.waitFor(classId);
    await waitForNotifications();

    expect(benDevice.received).toEqual([]);

    bensSocket.close();
    // Ben gets a notification of a mention of the staff persona and of a reply to it.
    await chooseNotifications(ben, classId, 'mentions');
    await ada.post(classId, `Thanks ${toMentionToken(staff!.persona.memberId)}`);
    expect((await benDevice.waitFor(classId)).payload.classId).toBe(classId);

    const reader = await ben.connectTo(classId);
    reader.send({ type: 'viewing', classId, inView: true });
    expect(await reader.request({})).toMatchObject({ code: 'INVALID' });

    reader.close();
    await reader.closed;
    const writer = await ada.connectTo(classId);
    const reply = { type: 'post', classId, id: randomUUID(), text: 'And?', replyTo: id };
    await writer.request(reply);
    await benDevice.waitFor(classId, 2);
  });
});

describe('a push service', () => {
  test('the server cuts off a push service that never ends its reply [PUSH-27]', async () => {
    const stuckDevice = await turnOnNotifications(ben, other);
    other.answer(stuckDevice, [{ status: 201, isEndless: true }]);

    await postAndWait('one');

    expect(other.countRequests(stuckDevice)).toBe(1);
    await expect.poll(() => other.connections(), { timeout: 20_000 }).toBe(0);
  });
});

test('a notification has the number of unread messages in all classes, as the app shows it [PUSH-12]', async () => {
  const secondClassId = await ada.createClass({ courseNumber: '7' });
  await ben.join(secondClassId);
  for (const id of [classId, secondClassId]) {
    await ben.post(id, 'I am here');
    await ben.snapshot(id);
  }
  const { me } = await ben.snapshot(secondClassId);
  const body = { ignored: [], hidden: [], muted: true, version: 0 };
  await ben.call('savePreferences', { params: { classId: secondClassId }, body });
  await ada.post(secondClassId, 'Not counted: Ben muted the class');

  await ada.post(secondClassId, `Counted, ${toMentionToken(me.memberId)}`);

  expect((await benDevice.waitFor(secondClassId)).payload.unread).toBe(1);

  await chooseNotifications(ben, classId, 'none');
  await ada.post(classId, 'one');
  await ada.post(classId, 'two');
  await chooseNotifications(ben, classId, 'all');
  await ada.post(classId, 'three');
  const { payload, bytes } = await benDevice.waitFor(classId);
  expect(payload.unread).toBe(4);
  expect(bytes).toBe(benDevice.received[0]!.bytes);

  // Messages that were read on another device do not count.
  const phone = ben.newBrowser();
  await phone.signIn();
  const phoneSocket = await phone.connect();
  const { seq } = await phoneSocket.subscribe(classId);
  phoneSocket.send({ type: 'read', classId, seq });
  expect(await phoneSocket.request({})).toMatchObject({ code: 'INVALID' });

  await ada.post(classId, 'four');
  expect((await benDevice.waitFor(classId, 2)).payload.unread).toBe(2);
});

describe('with a delay', () => {
  const longestDelayMs = 1_000;

  test('a message that is posted in a pause does not notify after it [PUSH-10]', async () => {
    const delayed = await startApp({
      PUSH_HOSTS: service.host,
      PUSH_DELAY: String(longestDelayMs / 1000),
    });
    const scene = await createClassWithTwoMembers(delayed);
    const devices: PushBrowser[] = [];
    for (let n = 0; n < 8; n++) {
      const device = scene.ben.newBrowser();
      await device.signIn();
      devices.push(await turnOnNotifications(device, service));
    }
    await chooseNotifications(scene.ben, scene.classId, 'all');
    await scene.ben.snapshot(scene.classId);
    const writer = await scene.ada.connectTo(scene.classId);
    vi.useFakeTimers({ toFake: ['Date'] });
    await saveSettings(scene.ben, { snoozedUntil: Date.now() + 60_000 });
    await writer.post(scene.classId, 'one');
    vi.setSystemTime(Date.now() + 61_000);
    // Only the delay can show that nothing comes after it.
    await sleep(longestDelayMs + 200);

    expect(devices.flatMap(({ received }) => received)).toEqual([]);

    await writer.post(scene.classId, 'two');
    for (const device of devices) {
      const { payload } = await device.waitFor(scene.classId);
      expect(payload.unread).toBe(2);
    }

    vi.useRealTimers();
    await delayed.stop();
  });
});
