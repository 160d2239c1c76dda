// A window whose browser subscribes to a push service on this machine: the real ones are out of reach of the tests.
import type { Page } from '@playwright/test';
import { toMentionToken } from '#contract/mentions.ts';
import { defer } from '#tests/support/later.ts';
import {
  startPushService,
  type PushBrowser,
  type PushService,
} from '#tests/support/push-service.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { createSite, signIn, test, type Windows, type Site } from './fixtures.ts';
import { openProfilePage } from './room.ts';

/** A server for the tests of the file, and the push service that it sends notifications to, without a delay. */
export function setUpPushSite() {
  let service: PushService;
  let site: Awaited<ReturnType<typeof createSite>>;
  test.beforeAll(async () => {
    service = await startPushService();
    site = await createSite({ PUSH_HOSTS: service.host, PUSH_DELAY: '0' });
  });
  test.afterAll(async () => {
    await site.end();
    await service.close();
  });
  return { service: defer(() => service), site: defer(() => site) };
}

/** The title of notifications of the class in which tests meet. */
export const title = 'New messages in CS 146';

export async function mention(
  from: TestClient,
  classId: string,
  recipient: TestClient,
  text = 'Hello',
) {
  const { me } = await recipient.snapshot(classId);
  return from.post(classId, `${text} ${toMentionToken(me.memberId)}`);
}

interface Recorded {
  /** What the page asked of the browser for notifications, in order. */
  asked: string[];
  badges: number[];
}
type RecordingWindow = typeof globalThis & { recorded: Recorded };

export async function openPushWindow(
  windows: Windows,
  site: Site,
  student: TestClient,
  browser: PushBrowser,
): Promise<Page> {
  const page = await windows.openWindow({
    baseURL: site.origin,
    serviceWorkers: 'allow',
    permissions: ['notifications'],
  });
  await page.addInitScript((subscription) => {
    // The empty page that a window begins with has no notifications in Firefox.
    if (!isSecureContext) return;
    const record: Recorded = { asked: [], badges: [] };
    (globalThis as RecordingWindow).recorded = record;
    const request = Notification.requestPermission.bind(Notification);
    Notification.requestPermission = () => {
      record.asked.push('permission');
      return request();
    };
    // The browser keeps its subscription over a reload.
    const getKey = () => sessionStorage.getItem('server-key');
    const fake = {
      toJSON: () => subscription,
      get options() {
        const text = atob((getKey() ?? '').replaceAll('-', '+').replaceAll('_', '/'));
        const bytes = Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0);
        return { userVisibleOnly: true, applicationServerKey: bytes.buffer };
      },
      unsubscribe() {
        record.asked.push('unsubscribe');
        sessionStorage.removeItem('server-key');
        return Promise.resolve(true);
      },
    } as unknown as PushSubscription;
    PushManager.prototype.subscribe = (options) => {
      record.asked.push(String(options?.applicationServerKey));
      sessionStorage.setItem('server-key', String(options?.applicationServerKey));
      return Promise.resolve(fake);
    };
    PushManager.prototype.getSubscription = () => Promise.resolve(getKey() === null ? null : fake);
    Object.assign(navigator, {
      setAppBadge(count: number) {
        record.badges.push(count);
        return Promise.resolve();
      },
    });
  }, browser.subscription);
  await signIn(page, student);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  return page;
}

export function getRecording(page: Page): Promise<Recorded> {
  return page.evaluate(() => (globalThis as RecordingWindow).recorded);
}

export async function turnOnNotifications(page: Page): Promise<void> {
  await openProfilePage(page, 'Notifications');
  await page.getByRole('button', { name: 'Turn on notifications' }).click();
  await page.getByText('This device gets notifications.').waitFor();
}
