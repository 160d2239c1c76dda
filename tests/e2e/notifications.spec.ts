// Notifications in a real browser. The server sends them to a push service on this machine, and Chromium's protocol delivers
// them to the service worker.
import type { Page } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { checkLooks } from './axe.ts';
import { expect, signIn, test } from './fixtures.ts';
import {
  mention,
  openPushWindow,
  getRecording,
  setUpPushSite,
  title,
  turnOnNotifications,
} from './push-window.ts';
import { findMessage, openClassPanel, openProfilePage, openTab } from './room.ts';
import {
  expectNothingStored,
  listShownNotifications,
  openInstalled,
  startPushing,
  waitUntilInstalled,
} from './service-worker.ts';

// The tests of this file share a server, so they run in order.
test.describe.configure({ mode: 'default' });
const { service, site } = setUpPushSite();

/** Dispatches the event that a click on the notification causes. */
async function clickNotification(page: Page): Promise<void> {
  const [worker] = page.context().serviceWorkers();
  await worker?.evaluate(async () => {
    const scope = globalThis as unknown as {
      registration: ServiceWorkerRegistration;
      dispatchEvent(event: Event): boolean;
      NotificationEvent: new (type: string, init: object) => Event;
    };
    const [notification] = await scope.registration.getNotifications();
    scope.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }));
  });
}

test('the app asks for the permission only after a click, and members choose what notifies them [PWA-10, PWA-21]', async ({
  windows,
}) => {
  const { ada, classId } = await createClassWithTwoMembers(site);
  const page = await openPushWindow(windows, site, ada, service.newBrowser());
  await openProfilePage(page, 'Notifications');
  const button = page.getByRole('button', { name: 'Turn on notifications' });
  await expect(button).toBeVisible();
  await page.reload();
  await expect(button).toBeVisible();
  expect((await getRecording(page)).asked).toEqual([]);
  await button.click();
  await expect(page.getByText('This device gets notifications.')).toBeVisible();
  const { publicKey, subscribed } = await ada.call('readNotifications', {});
  // A page that has just loaded subscribes once more, because it finds the permission.
  expect([...new Set((await getRecording(page)).asked)]).toEqual(['permission', publicKey]);
  expect(subscribed).toBe(false);
  const ownDevice = page.getByRole('listitem').filter({ hasText: 'This device' });
  await page.getByRole('link', { name: 'Devices' }).click();
  await expect(ownDevice).toContainText('gets notifications');
  await page.getByRole('link', { name: 'Notifications' }).click();

  const getNotifications = () => ada.call('readNotifications', {});
  await page.getByLabel('Show who wrote and what').check();
  await expect.poll(async () => (await getNotifications()).notifications.showText).toBe(true);
  await page.getByRole('checkbox', { name: 'Quiet hours' }).check();
  const hours = { from: '22:00', to: '07:00' };
  await expect
    .poll(async () => (await getNotifications()).notifications.quietHours)
    .toMatchObject(hours);
  await page.getByLabel('From').fill('21:30');
  await page.getByLabel('To', { exact: true }).focus();
  await expect
    .poll(async () => (await getNotifications()).notifications.quietHours)
    .toMatchObject({ from: '21:30', to: '07:00' });
  await page.getByRole('button', { name: 'For a day' }).click();
  await expect(page.getByText(/^Paused until/)).toBeVisible();
  await expect
    .poll(async () => (await getNotifications()).notifications.snoozedUntil ?? 0)
    .toBeGreaterThan(Date.now() + 86_000_000);
  await checkLooks(page, 'notifications');
  await page.getByRole('button', { name: 'End the pause' }).click();
  await expect.poll(async () => (await getNotifications()).notifications.snoozedUntil).toBe(null);

  await page.getByRole('button', { name: 'Turn off on this device' }).click();
  await expect(button).toBeVisible();
  await page.getByRole('link', { name: 'Devices' }).click();
  await expect(ownDevice).toBeVisible();
  await expect(ownDevice).not.toContainText('gets notifications');

  // What a class notifies of is in its panel.
  await page.getByRole('link', { name: 'Home' }).click();
  const panel = await openClassPanel(page, 'Details');
  await panel.getByLabel('Notify me of').selectOption('All messages');
  await expect
    .poll(async () => (await getNotifications()).choices)
    .toEqual([{ classId, notify: 'all' }]);
  await checkLooks(page, 'class panel');
  await panel.getByRole('link', { name: 'Turn on notifications' }).click();
  await expect(button).toBeVisible();
});

test('a notification replaces the earlier one of its class, and opens the class at the first unread message [PWA-11, PUSH-12, PUSH-17, PUSH-19]', async ({
  windows,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const browser = service.newBrowser();
  const page = await openPushWindow(windows, site, ada, browser);
  await expect(page.getByRole('textbox', { name: /^Message/ })).toBeVisible();
  await mention(ben, classId, ada, 'while it is in view');
  await expect(findMessage(page, 'while it is in view')).toBeVisible();
  await turnOnNotifications(page);
  const push = await startPushing(page);
  await mention(ben, classId, ada, 'the first unread one');
  const { text } = await browser.waitFor(classId);
  expect(browser.received).toHaveLength(1);
  await push(text);
  await expect
    .poll(() => listShownNotifications(page))
    .toEqual([{ title, body: '', tag: classId }]);
  await push(JSON.stringify({ classId, title, text: 'Red Panda: another', close: [] }));
  await expect
    .poll(() => listShownNotifications(page))
    .toEqual([{ title, body: 'Red Panda: another', tag: classId }]);
  await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
  await clickNotification(page);
  await expect(page).toHaveURL(`/home/${classId}`);
  await expect(findMessage(page, 'the first unread one')).toBeInViewport();
  expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
  await expect.poll(() => listShownNotifications(page)).toEqual([]);

  // A push also closes the notifications that are outdated, and one that cannot be read still says something.
  const listTags = async () =>
    (await listShownNotifications(page)).map(({ tag }) => tag).toSorted();
  await push({ classId: 'older', title: 'New messages in CS 1', close: [] });
  await expect.poll(listTags).toEqual(['older']);
  await push({ classId: 'newer', title, close: ['older', classId] });
  await expect.poll(listTags).toEqual(['newer']);
  await push('not JSON');
  await expect
    .poll(() => listShownNotifications(page))
    .toContainEqual({ title: new URL(page.url()).host, body: '', tag: 'new' });
});

test('a message that is read on one device has no notification on the others [PWA-11, PWA-14]', async ({
  windows,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const browser = service.newBrowser();
  const page = await openPushWindow(windows, site, ada, browser);
  await turnOnNotifications(page);
  const push = await startPushing(page);
  await mention(ben, classId, ada);
  await push((await browser.waitFor(classId)).text);
  await expect.poll(() => listShownNotifications(page)).toHaveLength(1);
  await expect.poll(async () => (await getRecording(page)).badges.at(-1)).toBe(1);
  const phone = await windows.openWindowAs(ada, { baseURL: site.origin });
  await expect(findMessage(phone, 'Hello')).toBeVisible();
  await expect.poll(() => listShownNotifications(page)).toEqual([]);
  await expect.poll(async () => (await getRecording(page)).badges.at(-1)).toBe(0);
});

test('a session that ends in any way leaves no notification and no badge [PWA-5]', async ({
  windows,
}) => {
  windows.expectConsoleError('401 (Unauthorized)');
  windows.expectConsoleError('HTTP Authentication failed');
  const ada = await site.createStudent();
  const classId = await ada.createClass();
  const page = await openInstalled(windows, ada, {
    baseURL: site.origin,
    permissions: ['notifications'],
  });
  const removedTags = new Set<string>();
  await page.context().exposeFunction('recordRemoved', (tag: string) => removedTags.add(tag));
  await page.context().addInitScript(() => {
    const { recordRemoved } = globalThis as unknown as { recordRemoved(what: string): void };
    const { close } = Notification.prototype;
    Notification.prototype.close = function recordClose() {
      recordRemoved(this.tag);
      close.call(this);
    };
    Object.assign(navigator, {
      setAppBadge: () => Promise.resolve(),
      clearAppBadge: () => Promise.resolve(recordRemoved('badge')),
    });
  });
  const endings = [
    () => logOut(page),
    async () => {
      const tab = await openTab(page, classId);
      await logOut(tab);
      await expect(tab).toHaveURL('/signin');
      await tab.close();
    },
    () => ada.call('signOutOtherDevices', {}),
  ];
  for (const end of endings) {
    await signIn(page, ada);
    await waitUntilInstalled(page);
    await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      await registration.showNotification('New messages', { tag: 'new' });
    });
    await expect.poll(() => listShownNotifications(page)).toHaveLength(1);
    removedTags.clear();
    await end();
    await expect(page).toHaveURL('/signin');
    await expect.poll(() => [...removedTags].toSorted()).toEqual(['badge', 'new']);
    await expectNothingStored(page);
  }
});

async function logOut(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByRole('button', { name: 'Log Out' }).click();
}
