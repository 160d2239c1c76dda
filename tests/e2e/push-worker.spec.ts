// What the service worker does while no window is open, when the browser renews a subscription, and when it ends.
import type { Worker } from '@playwright/test';
import type { PushBrowser } from '#tests/support/push-service.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, test } from './fixtures.ts';
import { grant } from './moderation.ts';
import {
  mention,
  openPushWindow,
  getRecording,
  setUpPushSite,
  title,
  turnOnNotifications,
} from './push-window.ts';
import { findMessage, openProfilePage } from './room.ts';
import { listShownNotifications, startPushing } from './service-worker.ts';

// In one worker, because each worker would start this server.
test.describe.configure({ mode: 'default' });
const { service, site } = setUpPushSite();

/** The parts of the service worker that tests replace or call. */
interface Scope {
  registration: ServiceWorkerRegistration;
  clients: { openWindow(path: string): Promise<null> };
  navigator: { setAppBadge(count?: number): Promise<void> };
  dispatchEvent(event: Event): boolean;
  fetch: typeof fetch;
  NotificationEvent: new (type: string, init: object) => Event;
  ExtendableEvent: new (type: string) => Event;
  /** The statuses of requests with a body. */
  answers: number[];
  opened: string[];
  badges: (number | null)[];
  unsubscribed: number;
}

/** Records what the worker asks of the browser. No one clicks here, so Chromium would open no window. */
async function recordWorker(worker: Worker): Promise<void> {
  await worker.evaluate(() => {
    const scope = globalThis as unknown as Scope;
    Object.assign(scope, { opened: [], badges: [] });
    scope.clients.openWindow = (path) => {
      scope.opened.push(path);
      return Promise.resolve(null);
    };
    Object.assign(scope.navigator, {
      setAppBadge(count?: number) {
        scope.badges.push(count ?? null);
        return Promise.resolve();
      },
    });
  });
}

const listOpened = (worker: Worker) =>
  worker.evaluate(() => (globalThis as unknown as Scope).opened);
const listBadges = (worker: Worker) =>
  worker.evaluate(() => (globalThis as unknown as Scope).badges);

async function click(worker: Worker, tag: string): Promise<void> {
  await worker.evaluate(async (wantedTag) => {
    const scope = globalThis as unknown as Scope;
    const [notification] = await scope.registration.getNotifications({ tag: wantedTag });
    scope.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }));
  }, tag);
}

test('a click on a notification opens the class at the first unread message, although no window is open [PWA-11, PWA-14, PUSH-12]', async ({
  windows,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const browser = service.newBrowser();
  const page = await openPushWindow(windows, site, ada, browser);
  await turnOnNotifications(page);
  await ben.post(classId, 'an earlier one');
  await page.goto(`/home/${classId}`);
  await expect(findMessage(page, 'an earlier one')).toBeInViewport();
  await openProfilePage(page, 'Notifications');
  const push = await startPushing(page);
  const context = page.context();
  const worker = context.serviceWorkers()[0]!;
  await recordWorker(worker);
  await mention(ben, classId, ada, 'the first unread one');
  const { text, payload } = await browser.waitFor(classId);
  const bens = await ben.connectTo(classId);
  for (let n = 0; n < 40; n++) await bens.post(classId, `later ${n}`);
  expect(payload.unread).toBe(1);
  await push(text);
  for (const unread of [12, 0]) await push({ classId: 'one', title, unread, close: [] });
  // No number if all is read.
  expect(await listBadges(worker)).toEqual([1, 12, null]);
  const other = await context.newPage();
  await other.goto('about:blank');
  await page.close();
  await click(worker, classId);
  await expect.poll(() => listOpened(worker)).toEqual([`/home/${classId}`]);
  await other.goto(`/home/${classId}`);
  await expect(findMessage(other, 'the first unread one')).toBeInViewport();
  await expect(findMessage(other, 'later 39')).not.toBeInViewport();
});

test('a notification of a threat opens the screen of moderators, which closes the notification [PUSH-37, PUSH-43]', async ({
  windows,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const operator = await site.createStudent();
  await grant(site, operator, null, 'Sam');
  const browser = service.newBrowser();
  const page = await openPushWindow(windows, site, operator, browser);
  await turnOnNotifications(page);
  const note = 'reports of threats notify you in quiet hours and pauses too';
  await expect(page.getByText(note)).toBeVisible();
  const push = await startPushing(page);
  const { id } = await ada.post(classId, 'A bad word');
  const body = { messageId: id, reason: 'threat', text: '' } as const;
  await ben.call('reportMember', { params: { classId }, body });
  const listThreats = () => browser.received.filter(({ payload }) => payload.classId === null);
  await expect.poll(() => listThreats().length).toBe(1);
  await push(listThreats()[0]!.text);
  const notification = { title: 'An urgent report', body: '', tag: 'threat' };
  expect(await listShownNotifications(page)).toEqual([notification]);
  await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
  await click(page.context().serviceWorkers()[0]!, 'threat');
  await expect(page).toHaveURL('/moderation');
  expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
  await expect.poll(() => listShownNotifications(page)).toEqual([]);
  await page.getByRole('link', { name: 'Profile' }).click();
  await push(listThreats()[0]!.text);
  // Waiting work is a separate notification.
  await push({ classId: null, work: true, title: 'Waiting', unread: 0, close: [] });
  expect(await listShownNotifications(page)).toEqual(
    expect.arrayContaining([notification, { title: 'Waiting', body: '', tag: 'work' }]),
  );
  await page.getByRole('link', { name: 'Moderation' }).click();
  await expect.poll(() => listShownNotifications(page)).toEqual([]);
  // Members who are no operators are not told of it.
  const member = await openPushWindow(windows, site, ada, service.newBrowser());
  await turnOnNotifications(member);
  await expect(member.getByRole('button', { name: 'For an hour' })).toBeVisible();
  await expect(member.getByText(note)).toHaveCount(0);
});

test.describe('a subscription that the browser renewed', () => {
  /** The browser tells what it knows: not every browser says which subscription ended, or by which. */
  async function renew(
    worker: Worker,
    next: PushBrowser,
    notices: { isNewTold: boolean; isOldTold: boolean },
  ): Promise<void> {
    await worker.evaluate(
      ({ subscription, isNewTold, isOldTold }) => {
        const scope = globalThis as unknown as Scope;
        Object.assign(scope, { unsubscribed: 0, answers: [] });
        const send = scope.fetch;
        scope.fetch = async (...request) => {
          const response = await send(...request);
          if (request[1]?.body !== undefined) scope.answers.push(response.status);
          return response;
        };
        const renewed = {
          toJSON: () => subscription,
          unsubscribe() {
            scope.unsubscribed += 1;
            return Promise.resolve(true);
          },
        } as unknown as PushSubscription;
        scope.registration.pushManager.subscribe = () => Promise.resolve(renewed);
        const event = new scope.ExtendableEvent('pushsubscriptionchange');
        const oldSubscription = isOldTold ? { options: { userVisibleOnly: true } } : null;
        Object.assign(event, { oldSubscription, newSubscription: isNewTold ? renewed : null });
        scope.dispatchEvent(event);
      },
      { subscription: next.subscription, ...notices },
    );
  }

  test('a subscription that the browser renewed replaces the old one on the server [PUSH-40]', async ({
    windows,
  }) => {
    const { ada, ben } = await createClassWithTwoMembers(site);
    const first = service.newBrowser();
    const page = await openPushWindow(windows, site, ada, first);
    await turnOnNotifications(page);
    const worker = page.context().serviceWorkers()[0]!;
    let previous = first;
    for (const notices of [
      { courseNumber: '1', isNewTold: true, isOldTold: true },
      { courseNumber: '2', isNewTold: false, isOldTold: true },
      { courseNumber: '3', isNewTold: false, isOldTold: false },
    ]) {
      const next = service.newBrowser();
      const receivedCount = previous.received.length;
      await renew(worker, next, notices);
      const listAnswers = () => worker.evaluate(() => (globalThis as unknown as Scope).answers);
      await expect.poll(listAnswers).toContain(200);
      // A second notification of a class would wait until the first one is read.
      const classId = await ada.createClass({ courseNumber: notices.courseNumber });
      await ben.join(classId);
      await mention(ben, classId, ada);
      await next.waitFor(classId);
      expect(previous.received).toHaveLength(receivedCount);
      previous = next;
    }

    windows.expectConsoleError('401');
    await page.context().clearCookies();
    await renew(worker, service.newBrowser(), { isNewTold: true, isOldTold: true });
    await expect
      .poll(() => worker.evaluate(() => (globalThis as unknown as Scope).unsubscribed))
      .toBe(1);
  });
});

test('the app subscribes again if the push service has lost the subscription [PUSH-25, ADMIN-7, PUSH-40]', async ({
  windows,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const browser = service.newBrowser();
  const page = await openPushWindow(windows, site, ada, browser);
  await turnOnNotifications(page);
  const countNotified = async () =>
    (await ada.call('listDevices', {})).devices.filter((device) => device.notified).length;
  expect(await countNotified()).toBe(1);
  service.answer(browser, [{ status: 410 }]);
  await mention(ben, classId, ada);
  await expect.poll(countNotified).toBe(0);
  await page.reload();
  await expect.poll(countNotified).toBe(1);
  const { publicKey } = await ada.call('readNotifications', {});
  expect((await getRecording(page)).asked).toEqual([publicKey]);
  await page.evaluate((key) => sessionStorage.setItem('server-key', key), `B${'A'.repeat(86)}`);
  await page.reload();
  await expect
    .poll(async () => (await getRecording(page)).asked)
    .toEqual(['unsubscribe', publicKey]);
  await mention(ben, classId, ada);
  await browser.waitFor(classId);
});
