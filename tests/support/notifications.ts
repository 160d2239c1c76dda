// Students with devices that get notifications.
import type { NotificationSettings } from '#contract/notifications.ts';
import type { PushBrowser, PushService } from './push-service.ts';
import type { RunningApp } from './running-app.ts';
import { createClassWithTwoMembers, type TestClient } from './test-client.ts';
import type { TestSocket } from './test-socket.ts';

/** The public key and the secret of a browser, from RFC 8291. */
export const browserKeys = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

export const defaultSettings: NotificationSettings = {
  showText: false,
  answers: true,
  quietHours: null,
  snoozedUntil: null,
  waitingWork: false,
};

/** Turns notifications on, on the device of this client. */
export async function turnOnNotifications(
  client: TestClient,
  service: PushService,
): Promise<PushBrowser> {
  const browser = service.newBrowser();
  await client.call('subscribePush', { body: browser.subscription });
  return browser;
}

export function chooseNotifications(
  client: TestClient,
  classId: string,
  notify: 'all' | 'mentions' | 'none',
) {
  return client.call('chooseNotifications', { params: { classId }, body: { notify } });
}

export function saveSettings(client: TestClient, change: Partial<NotificationSettings>) {
  return client.call('saveNotifications', { body: { ...defaultSettings, ...change } });
}

/**
 * Two students of their own class, so that a test can show that a message notified no one.
 *
 * @returns a function that posts in that class and waits for the notification: the server has handled all earlier
 *   messages by then
 */
export async function createPushBarrier(
  site: Pick<RunningApp, 'createStudent'>,
  service: PushService,
): Promise<() => Promise<void>> {
  const { ada: writer, ben: reader, classId } = await createClassWithTwoMembers(site);
  const browser = await turnOnNotifications(reader, service);
  await chooseNotifications(reader, classId, 'all');
  return async () => {
    const count = browser.listPushes(classId).length;
    await writer.post(classId, 'The next message');
    await browser.waitFor(classId, count + 1);
    await openClass(reader, classId);
  };
}

/** Opens the class for a moment, so that it can notify again. */
export async function openClass(client: TestClient, classId: string): Promise<void> {
  const socket = await client.connectTo(classId);
  socket.send({ type: 'viewing', classId, inView: true });
  await waitForServer(socket);
  socket.close();
  await socket.closed;
}

/** Resolves when the server has handled all that the socket sent. */
export async function waitForServer(socket: TestSocket): Promise<void> {
  const reply = await socket.request({});
  if (reply.type !== 'nack' || reply.code !== 'INVALID') throw new Error('A reply is unexpected.');
}
