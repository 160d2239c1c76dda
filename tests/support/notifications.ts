// Students with devices that get notifications.
import type { NotificationSettings } from '#contract/notifications.ts';
import type { PushBrowser, PushService } from './push-service.ts';
import type { TestClient } from './test-client.ts';

/** The public key and the secret of a browser, from RFC 8291. */
export const browserKeys = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

export const defaultSettings: NotificationSettings = {
  showText: false,
  quietHours: null,
  snoozedUntil: null,
};

/** Turns notifications on, on the device of this client. */
export async function turnOn(client: TestClient, service: PushService): Promise<PushBrowser> {
  const browser = service.newBrowser();
  await client.call('subscribePush', { body: browser.subscription });
  return browser;
}

export function choose(client: TestClient, classId: string, notify: 'all' | 'mentions' | 'none') {
  return client.call('chooseNotifications', { params: { classId }, body: { notify } });
}

export function saveSettings(client: TestClient, change: Partial<NotificationSettings>) {
  return client.call('saveNotifications', { body: { ...defaultSettings, ...change } });
}
