// Slow, broken and hostile push services, and what they learn.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  chooseNotifications,
  createPushBarrier,
  turnOnNotifications,
  waitForServer,
} from '#tests/support/notifications.ts';
import type { PushBrowser } from '#tests/support/push-service.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { setUpPushApp } from '#tests/support/set-up-push-app.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import { listStoredSessions } from '#tests/support/stored-accounts.ts';

const delaySeconds = 1;
const { app, service } = setUpPushApp();
let waitForNotifications: () => Promise<void>;
beforeAll(async () => {
  waitForNotifications = await createPushBarrier(app, service);
});

let ada: TestClient;
let ben: TestClient;
let classId: string;
let benDevice: PushBrowser;
beforeEach(async () => {
  ({ ada, ben, classId } = await createClassWithTwoMembers(app));
  benDevice = await turnOnNotifications(ben, service);
  await chooseNotifications(ben, classId, 'all');
});

const countRequests = () => service.countRequests(benDevice);

/** Lists the encrypted push subscriptions that the database has for the sessions of the account. */
async function listStoredPushes({ email }: TestClient): Promise<unknown[]> {
  return (await listStoredSessions(app.database, email)).map(({ push }) => push);
}

describe('failures', () => {
  test.each([404, 410])(
    'the server stops using a push subscription when the push service answers %i [PUSH-25]',
    async (status) => {
      const pushesBefore = await listStoredPushes(ben);
      service.answer(benDevice, [{ status }]);

      await ada.post(classId, 'one');

      await expect.poll(countRequests).toBe(1);
      await expect
        .poll(async () => (await ben.call('listDevices', {})).devices[0]!.notified)
        .toBe(false);

      await ada.post(classId, 'two');
      await waitForNotifications();
      expect(countRequests()).toBe(1);
      // If the row changed now, it would show whom the message concerned.
      expect(await listStoredPushes(ben)).toEqual(pushesBefore);

      await app.restart();
      expect(await listStoredPushes(ben)).toEqual([null]);
    },
  );

  test('a push service that fails is asked again later [PUSH-27]', async () => {
    service.answer(benDevice, [{ status: 503 }]);
    const startedAt = Date.now();

    await ada.post(classId, 'one');

    const { receivedAt, payload } = await benDevice.waitFor(classId);
    expect(payload.classId).toBe(classId);
    expect(receivedAt - startedAt).toBeGreaterThan(2400);
    expect(countRequests()).toBe(2);
  });

  test('a rejected notification is not sent again, and the next message notifies [PUSH-27]', async () => {
    service.answer(benDevice, [{ status: 400 }]);

    await ada.post(classId, 'one');

    await expect.poll(countRequests).toBe(1);

    await waitForNotifications();
    await ada.post(classId, 'two');
    await benDevice.waitFor(classId);
    expect(countRequests()).toBe(2);
  });

  test('a push service cannot redirect the server to another address [PUSH-4]', async () => {
    service.answer(benDevice, [{ status: 307, headers: { location: `${service.host}/internal` } }]);

    await ada.post(classId, 'one');

    await expect.poll(countRequests).toBe(1);

    await waitForNotifications();
    expect(service.strays).toEqual([]);
  });

  test('a push service that never answers delays no message and no other device [PUSH-42, PUSH-27]', async () => {
    const cem = await app.createStudent();
    await cem.join(classId);
    const cemDevice = await turnOnNotifications(cem, service);
    await chooseNotifications(cem, classId, 'all');
    service.answer(benDevice, [{ isSilent: true }]);
    const socket = await ada.connectTo(classId);

    for (let n = 0; n < 20; n++) {
      expect(await socket.post(classId, `Message ${n}`)).toMatchObject({ type: 'ack' });
    }

    await cemDevice.waitFor(classId);
    expect(benDevice.received).toEqual([]);

    const startedAt = Date.now();
    await app.restart();
    expect(Date.now() - startedAt).toBeLessThan(8000);
  });

  test('a push service sees a random topic for each class and device [PUSH-21]', async () => {
    const secondClassId = await ada.createClass({ courseNumber: '7' });
    await ben.join(secondClassId);
    await chooseNotifications(ben, secondClassId, 'all');
    const phone = ben.newBrowser();
    await phone.signIn();
    const phoneDevice = await turnOnNotifications(phone, service);
    await ada.post(classId, 'one');
    await ada.post(secondClassId, 'two');
    const pushes = [];

    for (const browser of [benDevice, phoneDevice]) {
      for (const id of [classId, secondClassId]) pushes.push(await browser.waitFor(id));
    }

    const topics = pushes.map(({ headers }) => String(headers['topic']));
    expect(new Set(topics).size).toBe(4);
    for (const topic of topics) {
      expect(topic).toMatch(/^[\w-]{24}$/);
      expect([classId, secondClassId]).not.toContain(topic);
    }
  });
});

test('the log says how many notifications failed, but nothing about their content or receivers [PUSH-29]', async () => {
  service.answer(benDevice, [{ status: 403 }]);

  await ada.post(classId, 'one');

  await expect.poll(countRequests).toBe(1);

  const countBefore = app.logLines.length;
  await app.restart();
  const lines = app.logLines.slice(countBefore).map((line) => JSON.parse(line) as object);
  expect(lines).toContainEqual(
    expect.objectContaining({ event: 'push.failed', count: 1, status: 403 }),
  );
  const log = app.logLines.join('\n');
  const { endpoint, keys } = benDevice.subscription;
  for (const secret of [endpoint, keys.auth, keys.p256dh, classId, ben.name]) {
    expect(log).not.toContain(secret);
  }
});

describe('with a delay', () => {
  let delayedApp: RunningApp;
  beforeAll(async () => {
    delayedApp = await startApp({ PUSH_HOSTS: service.host, PUSH_DELAY: String(delaySeconds) });
  });
  afterAll(() => delayedApp.stop());

  test('each device is notified at its own random time [PUSH-20]', async () => {
    const scene = await createClassWithTwoMembers(delayedApp);
    const devices: PushBrowser[] = [];
    for (let n = 0; n < 12; n++) {
      const device = scene.ben.newBrowser();
      await device.signIn();
      devices.push(await turnOnNotifications(device, service));
    }
    await chooseNotifications(scene.ben, scene.classId, 'all');
    const startedAt = Date.now();
    await scene.ada.post(scene.classId, 'one');
    const waits = [];

    for (const device of devices) {
      waits.push((await device.waitFor(scene.classId)).receivedAt - startedAt);
    }

    const spread = Math.max(...waits) - Math.min(...waits);
    // Twelve random times this close to each other occur less than once in 10 to the 15th attempts.
    expect(spread).toBeGreaterThan(250);
    expect(Math.max(...waits)).toBeLessThan(delaySeconds * 1000 + 8000);
  });

  test('a class that is opened during the delay does not notify [PUSH-17, PUSH-20]', async () => {
    const scene = await createClassWithTwoMembers(delayedApp);
    const device = await turnOnNotifications(scene.ben, service);
    await chooseNotifications(scene.ben, scene.classId, 'all');
    const socket = await scene.ben.connectTo(scene.classId);
    await scene.ada.post(scene.classId, 'one');
    socket.send({ type: 'viewing', classId: scene.classId, inView: true });
    await waitForServer(socket);

    // The test must wait, because nothing else shows that no notification follows the delay.
    await sleep(delaySeconds * 1000 + 200);
    expect(device.received).toEqual([]);

    socket.send({ type: 'viewing', classId: scene.classId, inView: false });
    await waitForServer(socket);

    await scene.ada.post(scene.classId, 'two');
    const { payload } = await device.waitFor(scene.classId);
    expect(payload.unread).toBe(2);
  });
});

test('no one can subscribe if PUSH_HOSTS is none [PUSH-4]', async () => {
  const appWithoutPush = await startApp({ PUSH_HOSTS: 'none' });
  const student = await appWithoutPush.createStudent();

  expect(await student.call('readNotifications', {})).toMatchObject({ publicKey: null });
  const body = benDevice.subscription;
  await expect(student.call('subscribePush', { body })).rejects.toMatchObject({ code: 'INVALID' });

  await appWithoutPush.stop();
});

test.each([
  ['PUSH_HOSTS', 'https://a b'],
  ['PUSH_DELAY', 'soon'],
  ['PUSH_DELAY', '601'],
])('the setting %s=%s is rejected [PUSH-4, PUSH-20]', async (name, value) => {
  await expect(startApp({ [name]: value })).rejects.toThrow(name);
});
