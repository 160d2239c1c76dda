// Notifications through a fake push service, which checks signatures and decrypts them.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { errors } from '#contract/errors.ts';
import { toMentionToken } from '#contract/mentions.ts';
import {
  chooseNotifications,
  createPushBarrier,
  defaultSettings,
  openClass,
  saveSettings,
  turnOnNotifications,
  waitForServer,
} from '#tests/support/notifications.ts';
import type { PushBrowser } from '#tests/support/push-service.ts';
import { setUpPushApp } from '#tests/support/set-up-push-app.ts';
import {
  password,
  createClassWithTwoMembers,
  type TestClient,
} from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { changeStoredSessions, findStoredAccount } from '#tests/support/stored-accounts.ts';
import { addTopic } from '#tests/support/topics.ts';

const { app, service } = setUpPushApp();
let waitForNotifications: () => Promise<void>;
beforeAll(async () => {
  waitForNotifications = await createPushBarrier(app, service);
});

/** Ada writes in the class. Cem gets notifications of all messages, so tests can wait for them. */
let ada: TestClient;
let ben: TestClient;
let cem: TestClient;
let classId: string;
let benDevice: PushBrowser;
let cemDevice: PushBrowser;
let adaSocket: TestSocket;
beforeEach(async () => {
  ({ ada, ben, classId } = await createClassWithTwoMembers(app));
  cem = await app.createStudent();
  await cem.join(classId);
  benDevice = await turnOnNotifications(ben, service);
  cemDevice = await turnOnNotifications(cem, service);
  await chooseNotifications(cem, classId, 'all');
  adaSocket = await ada.connectTo(classId);
});

async function getMemberId(client: TestClient): Promise<string> {
  return (await client.snapshot(classId)).me.memberId;
}

/** Posts, and waits until everyone whom the message concerns must have been notified. */
async function postAndWait(text: string, from = adaSocket, topicId?: string): Promise<string> {
  const countBefore = cemDevice.listPushes(classId).length;
  const id = randomUUID();
  await from.request({ type: 'post', classId, id, text, topicId });
  await cemDevice.waitFor(classId, countBefore + 1);
  await waitForNotifications();
  await openClass(cem, classId);
  return id;
}

describe('a device with notifications', () => {
  test('a notification says nothing but the class [PUSH-1, PUSH-2, PUSH-12, PUSH-20]', async () => {
    await chooseNotifications(ben, classId, 'all');
    await ben.snapshot(classId);

    await adaSocket.post(classId, 'A secret word');

    const { payload, text, headers } = await benDevice.waitFor(classId);
    const title = 'New messages in CS 146';
    expect(payload).toEqual({ classId, title, unread: 1, close: [] });
    expect(text).not.toContain('secret');

    const { publicKey, subscribed } = await ben.call('readNotifications', {});
    expect(subscribed).toBe(true);
    expect(headers.authorization).toContain(`, k=${publicKey}`);
    expect(service.problems).toEqual([]);
  });

  test('the list of devices marks those with notifications [PUSH-5]', async () => {
    const otherBrowser = ben.newBrowser();
    await otherBrowser.signIn();
    const listSubscriptions = async () => {
      const { devices } = await ben.call('listDevices', {});
      return devices.map(({ current, notified }) => [current, notified]);
    };

    expect(await listSubscriptions()).toEqual([
      [true, true],
      [false, false],
    ]);

    await ben.call('unsubscribePush', {});
    expect(await listSubscriptions()).toEqual([
      [true, false],
      [false, false],
    ]);
    expect(await ben.call('readNotifications', {})).toMatchObject({ subscribed: false });

    await chooseNotifications(ben, classId, 'all');
    await postAndWait('to no one');
    expect(benDevice.received).toEqual([]);
  });

  test('a device that subscribes again replaces its subscription [PUSH-3]', async () => {
    const secondDevice = await turnOnNotifications(ben, service);
    await chooseNotifications(ben, classId, 'all');

    await adaSocket.post(classId, 'hello');
    await secondDevice.waitFor(classId);

    expect(benDevice.received).toEqual([]);
  });

  test('a subscription and the server’s key survive a restart [PUSH-1, PUSH-15]', async () => {
    await chooseNotifications(ben, classId, 'all');
    const { publicKey } = await ben.call('readNotifications', {});
    await adaSocket.post(classId, 'before');
    await benDevice.waitFor(classId);

    await app.restart();

    expect(await ben.call('readNotifications', {})).toMatchObject({ publicKey, subscribed: true });

    // The server has forgotten that Ben was notified. His browser replaces the first notification.
    await ada.post(classId, 'after');
    await benDevice.waitFor(classId, 2);
  });

  test('a subscription must have a key on the curve [PUSH-3]', async () => {
    const { endpoint, keys } = service.newBrowser().subscription;
    const body = { endpoint, keys: { ...keys, p256dh: `B${'A'.repeat(86)}` } };

    await expect(ben.call('subscribePush', { body })).rejects.toMatchObject({ code: 'INVALID' });
  });
});

describe('the end of a subscription', () => {
  /** @returns the notifications on Ben's device after another message */
  async function postAndListPushes() {
    const countBefore = benDevice.received.length;
    await postAndWait(`for ${randomUUID()}`);
    const sessions = (await app.database.tables())['sessions']!;
    expect(sessions.filter(({ push }) => push !== null).length).toBeGreaterThan(0);
    return benDevice.received.slice(countBefore);
  }
  beforeEach(() => chooseNotifications(ben, classId, 'all'));

  test('a subscription ends when its device signs out [PUSH-6]', async () => {
    await ben.call('signOut', {});
    expect(await postAndListPushes()).toEqual([]);
  });

  test('a subscription ends when another device signs it out [PUSH-6]', async () => {
    const otherBrowser = ben.newBrowser();
    await otherBrowser.signIn();
    await otherBrowser.call('signOutOtherDevices', {});

    expect(await postAndListPushes()).toEqual([]);
  });

  test('a subscription ends when the account is deleted [PUSH-6]', async () => {
    await ben.call('deleteAccount', { body: { password, messages: 'keep' } });
    expect(await postAndListPushes()).toEqual([]);
  });

  test('a subscription ends when the session expires [PUSH-6]', async () => {
    const { id } = await findStoredAccount(app.database, ben.email);
    await changeStoredSessions(
      app.database,
      { endDay: 20_000 },
      ({ accountId }) => accountId === id,
    );

    expect(await postAndListPushes()).toEqual([]);
  });

  test('a subscription ends when someone else signs in to the browser [PUSH-6]', async () => {
    await ada.call('subscribePush', { body: benDevice.subscription });
    expect(await postAndListPushes()).toEqual([]);
    expect(await ben.call('readNotifications', {})).toMatchObject({ subscribed: false });
    expect(await ada.call('readNotifications', {})).toMatchObject({ subscribed: true });
  });

  test('a subscription ends for a class that the member leaves [PUSH-8]', async () => {
    await ben.leave(classId);
    expect(await postAndListPushes()).toEqual([]);

    await ben.join(classId);
    const { choices } = await ben.call('readNotifications', {});
    expect(choices).toEqual([]);
  });
});

describe('notifications of a class', () => {
  test('mentions and replies notify by default [PUSH-8]', async () => {
    const benSocket = await ben.connectTo(classId);
    const question = await benSocket.post(classId, 'A question');
    benSocket.close();

    await postAndWait('not for Ben');

    expect(benDevice.received).toEqual([]);

    await adaSocket.request({
      type: 'post',
      classId,
      id: randomUUID(),
      text: 'An answer',
      replyTo: question.id,
    });
    await benDevice.waitFor(classId);
    await openClass(ben, classId);
    await adaSocket.post(classId, `Hello ${toMentionToken(await getMemberId(ben))}`);
    await benDevice.waitFor(classId, 2);
  });

  test('a member can choose notifications of all messages or of none [PUSH-8]', async () => {
    await chooseNotifications(ben, classId, 'all');

    await postAndWait('one');

    expect(benDevice.received).toHaveLength(1);

    await openClass(ben, classId);
    await chooseNotifications(ben, classId, 'none');
    await postAndWait('I am here', await ben.connectTo(classId));
    await postAndWait(`two ${toMentionToken(await getMemberId(ben))}`);
    expect(benDevice.received).toHaveLength(1);

    const { choices } = await ben.call('readNotifications', {});
    expect(choices).toEqual([{ classId, notify: 'none' }]);
    await expect(chooseNotifications(await app.createStudent(), classId, 'all')).rejects.toThrow(
      errors.NOT_FOUND.message,
    );
  });

  test('messages that are own, read or from ignored members do not notify [PUSH-13]', async () => {
    await chooseNotifications(ben, classId, 'all');
    const benSocket = await ben.connectTo(classId);
    await postAndWait('my own', benSocket);
    const ignored = [await getMemberId(ada)];
    const body = { ignored, hidden: [], muted: false, version: 0 };
    await ben.call('savePreferences', { params: { classId }, body });

    await postAndWait('from someone ignored');

    expect(benDevice.received).toEqual([]);
  });

  test.each(['class', 'topic'])(
    'a muted %s notifies of mentions only [PUSH-13, TOPIC-5]',
    async (muted) => {
      const { topicId } = await addTopic(app, classId);
      await chooseNotifications(ben, classId, 'all');
      await ben.post(classId, 'I am here');
      await openClass(cem, classId);
      const mutedTopics = muted === 'topic' ? [topicId] : [];
      const preferences = { ignored: [], hidden: [], muted: muted === 'class', mutedTopics };
      const body = { ...preferences, version: 0 };
      await ben.call('savePreferences', { params: { classId }, body });

      await postAndWait('something', adaSocket, topicId);

      expect(benDevice.received).toEqual([]);

      const text = toMentionToken(await getMemberId(ben));
      await adaSocket.request({ type: 'post', classId, id: randomUUID(), text, topicId });
      await benDevice.waitFor(classId);
    },
  );
});

describe('one notification per class', () => {
  beforeEach(() => chooseNotifications(ben, classId, 'all'));

  test('a class does not notify again until it is opened [PUSH-15]', async () => {
    for (const text of ['one', 'two', 'three']) await postAndWait(text);
    expect(benDevice.received).toHaveLength(1);

    await openClass(ben, classId);
    await adaSocket.post(classId, 'four');
    await benDevice.waitFor(classId, 2);
  });

  test('each class notifies separately [PUSH-15]', async () => {
    const secondClassId = await ada.createClass({ courseNumber: '7' });
    await ben.join(secondClassId);
    await chooseNotifications(ben, secondClassId, 'all');
    await postAndWait('here');

    await ada.post(secondClassId, 'there');

    expect((await benDevice.waitFor(secondClassId)).payload.title).toBe('New messages in CS 7');
    expect(benDevice.listPushes(classId)).toHaveLength(1);
  });

  test('a class that is in view on any device does not notify [PUSH-17]', async () => {
    const otherBrowser = ben.newBrowser();
    await otherBrowser.signIn();
    const otherSocket = await otherBrowser.connectTo(classId);
    otherSocket.send({ type: 'viewing', classId, inView: true });
    await waitForServer(otherSocket);

    await postAndWait('seen');

    expect(benDevice.received).toEqual([]);

    otherSocket.send({ type: 'viewing', classId, inView: false });
    await waitForServer(otherSocket);
    await postAndWait('not seen');
    expect(benDevice.received).toHaveLength(1);
  });

  test('a class that was read on another device can notify again [PUSH-13, PUSH-19]', async () => {
    const secondClassId = await ada.createClass({ courseNumber: '7' });
    await ben.join(secondClassId);
    await chooseNotifications(ben, secondClassId, 'all');
    // Everything before the first visit counts as read.
    await ben.snapshot(classId);
    await adaSocket.post(classId, 'here');
    await benDevice.waitFor(classId);
    const otherBrowser = ben.newBrowser();
    await otherBrowser.signIn();
    const otherSocket = await otherBrowser.connect();
    const { seq } = await otherSocket.subscribe(classId);
    otherSocket.send({ type: 'read', classId, seq });
    await waitForServer(otherSocket);

    await ada.post(secondClassId, 'there');

    expect((await benDevice.waitFor(secondClassId)).payload.close).toEqual([classId]);

    await adaSocket.post(classId, 'again');
    expect((await benDevice.waitFor(classId, 2)).payload.close).toEqual([]);
  });
});

describe('settings of the account', () => {
  beforeEach(() => chooseNotifications(ben, classId, 'all'));

  test('the settings of notifications are the same on all devices, and hide texts at first [PUSH-10, PUSH-12]', async () => {
    expect(await ben.call('readNotifications', {})).toMatchObject({
      notifications: defaultSettings,
    });

    const change = {
      showText: true,
      quietHours: { from: '22:00', to: '07:00', timeZone: 'America/New_York' },
      snoozedUntil: Date.now() + 60_000,
    };
    await saveSettings(ben, change);
    const otherBrowser = ben.newBrowser();
    await otherBrowser.signIn();
    expect(await otherBrowser.call('readNotifications', {})).toMatchObject({
      notifications: change,
    });
    expect(await ada.call('readNotifications', {})).toMatchObject({
      notifications: defaultSettings,
    });
  });

  test('a notification can show the text as it is when it is sent, without spoilers [PUSH-12, MARKUP-31]', async () => {
    await saveSettings(ben, { showText: true });
    const params = { classId };
    await ada.call('changePersona', { params, body: { anonymousName: 'Blue Fox' } });

    await adaSocket.post(classId, `See **you** there ${toMentionToken(await getMemberId(ada))}`);

    const { payload } = await benDevice.waitFor(classId);
    expect(payload.text).toBe('Blue Fox: See **you** there @Blue Fox');

    await openClass(ben, classId);
    await adaSocket.post(classId, `It is ||42, ${toMentionToken(await getMemberId(ben))}||`);
    const { payload: hiddenPayload } = await benDevice.waitFor(classId, 2);
    expect(hiddenPayload.text).toBe('Blue Fox: It is [Hidden, press to show]');

    await openClass(ben, classId);
    await adaSocket.post(classId, '👩‍🚀"\\'.repeat(300));
    const { payload: longPayload, bytes } = await benDevice.waitFor(classId, 3);
    expect(longPayload.text).toMatch(/^Blue Fox: 👩/u);
    expect(bytes).toBe(benDevice.received[0]!.bytes);
    expect(service.problems).toEqual([]);
  });

  test('all notifications have one size, one urgency and one lifetime [PUSH-20]', async () => {
    await saveSettings(ben, { showText: true });
    await adaSocket.post(classId, 'a'.repeat(3000));

    await benDevice.waitFor(classId);
    await cemDevice.waitFor(classId);

    const pushes = [...benDevice.received, ...cemDevice.received];
    expect(pushes.length).toBeGreaterThan(1);
    expect(new Set(pushes.map(({ bytes }) => bytes)).size).toBe(1);
    const headerTexts = pushes.map(({ headers }) => [headers['urgency'], headers['ttl']].join(' '));
    expect(new Set(headerTexts)).toEqual(new Set(['high 86400']));
  });

  test('quiet hours and a snooze keep devices silent [PUSH-10]', async () => {
    const clock = new Intl.DateTimeFormat('en-GB', {
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZone: 'Asia/Tokyo',
    });
    const hours = 60 * 60_000;
    const createQuietHours = (now: number) => ({
      from: clock.format(now - hours),
      to: clock.format(now + hours),
      timeZone: 'Asia/Tokyo',
    });
    await saveSettings(ben, { quietHours: createQuietHours(Date.now()) });
    await postAndWait('at night');
    await saveSettings(ben, { snoozedUntil: Date.now() + 60_000 });

    await postAndWait('snoozed');

    expect(benDevice.received).toEqual([]);

    await saveSettings(ben, { quietHours: createQuietHours(Date.now() + 12 * hours) });
    await adaSocket.post(classId, 'at day');
    await benDevice.waitFor(classId);
  });

  test('impossible settings of notifications are rejected [PUSH-10]', async () => {
    const validHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
    for (const quietHours of [
      { ...validHours, timeZone: 'Middle/Earth' },
      { ...validHours, timeZone: '+02:00' },
      { ...validHours, from: '24:00' },
      { ...validHours, to: '22:00' },
    ]) {
      await expect(saveSettings(ben, { quietHours })).rejects.toMatchObject({ code: 'INVALID' });
    }
    const snoozedUntil = Date.now() + 31 * 24 * 60 * 60_000;
    await expect(saveSettings(ben, { snoozedUntil })).rejects.toMatchObject({ code: 'INVALID' });
  });
});
