// The built app without a network: Chromium cuts pages and the service worker off by its protocol.
import type { Page } from '@playwright/test';
import { toMentionToken } from '#contract/mentions.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, signIn, test, type Windows, type Site } from './fixtures.ts';
import { keptLine, findKeptData, waitUntilKept } from './offline-state.ts';
import { createUpdatedSite } from './new-version.ts';
import { createPhoto, sendPicture } from './picture-files.ts';
import {
  findClassLink,
  findMessage,
  openTab,
  findRoom,
  findMessageText,
  say,
  openProfilePage,
} from './room.ts';
import { findUpdate, openInstalled } from './service-worker.ts';

function expectOfflineErrors(windows: Windows): void {
  windows.expectConsoleError('ERR_INTERNET_DISCONNECTED');
  windows.expectConsoleError('WebSocket connection');
  windows.expectConsoleError('The profile could not be read.');
  windows.expectConsoleError('The school theme could not be loaded.');
}

/** The files of the app that the page could not load. */
function recordMissingFiles(page: Page): string[] {
  const missing: string[] = [];
  page.on('requestfailed', (request) => {
    const { pathname } = new URL(request.url());
    // A page that is left gives up what it still loads ahead of time.
    if (request.failure()?.errorText === 'net::ERR_ABORTED') return;
    if (/^\/(assets|home)/.test(pathname)) missing.push(pathname);
  });
  return missing;
}

/** Whether anything reaches the server: from the page, and from the service worker. */
async function canReachServer(page: Page): Promise<boolean[]> {
  const ask = async () => {
    const response = await fetch('/healthz', { cache: 'no-store' }).catch(() => null);
    return response !== null;
  };
  const [worker] = page.context().serviceWorkers();
  return [await page.evaluate(ask), (await worker?.evaluate(ask)) ?? true];
}

async function keepOpened(page: Page, classId: string, text: string): Promise<void> {
  await page.goto(`/home/${classId}`);
  await expect(findRoom(page).getByText(text)).toBeVisible();
  await waitUntilKept(page, text);
}

async function installInAClass(windows: Windows, site: Site) {
  const student = await site.createStudent();
  const classId = await student.createClass();
  return { student, classId, page: await openInstalled(windows, student) };
}

test('the app opens without a network after all tabs were closed, and later sends what was written [OFFLINE-1, OFFLINE-2, LOG-14, PWA-3]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const other = await ada.createClass({ courseNumber: '9' });
  const unopened = await ada.createClass({ courseNumber: '10' });
  for (const otherId of [other, unopened]) await ada.post(otherId, `in ${otherId}`);
  const socket = await ben.connect();
  const { me } = await (await ada.connect()).subscribe(classId);
  for (let n = 0; n < 205; n++) await socket.post(classId, `line ${n}`);
  await socket.post(classId, `Hello ${toMentionToken(me.memberId)}, **bold** and $x^2$`);
  await socket.post(classId, '```js\nconst answer = 42;\n```');
  await sendPicture(ben, classId, await createPhoto(), {
    text: 'a picture',
    alt: 'Ada on a bridge',
  });
  await socket.post(classId, 'the last one');
  const page = await openInstalled(windows, ada);
  await keepOpened(page, other, `in ${other}`);
  await keepOpened(page, classId, 'the last one');

  expectOfflineErrors(windows);
  await page.context().setOffline(true);
  expect(await canReachServer(page)).toEqual([false, false]);
  const tab = await page.context().newPage();
  const missing = recordMissingFiles(tab);
  await tab.goto(`/home/${classId}`);
  await expect(findMessageText(tab, 'the last one')).toBeVisible();
  await expect(tab.getByText(keptLine)).toBeVisible();
  await expect(tab.getByText(/You are offline/)).toBeVisible();

  await page.close();
  await tab.close();
  const reopenedPage = await page.context().newPage();
  const missingLater = recordMissingFiles(reopenedPage);
  await reopenedPage.goto('/');
  await findClassLink(reopenedPage, 'CS 146').click();
  await expect(findMessageText(reopenedPage, 'the last one')).toBeVisible();
  await expect(reopenedPage.getByText(keptLine)).toBeVisible();
  await expect(reopenedPage.getByRole('img', { name: 'School logo' })).toBeVisible();
  const greeting = findMessage(reopenedPage, 'Hello');
  await expect(greeting.locator('strong')).toHaveText('bold');
  await expect(greeting.getByRole('math')).toBeVisible();
  await expect(greeting).toHaveAttribute('data-mentions-me');
  await expect(findMessage(reopenedPage, 'answer').locator('pre span').first()).toBeVisible();
  const place = findMessage(reopenedPage, 'a picture');
  await expect(place.getByText('Not loaded')).toBeVisible();
  expect((await place.boundingBox())?.height).toBeGreaterThan(200);
  await say(reopenedPage, 'written offline');
  await findClassLink(reopenedPage, 'CS 9').click();
  await expect(findMessageText(reopenedPage, `in ${other}`)).toBeVisible();
  await say(reopenedPage, 'also here');
  await findClassLink(reopenedPage, 'CS 10').click();
  await expect(
    reopenedPage.getByText('No messages of this class are kept on this device.'),
  ).toBeVisible();
  await expect(reopenedPage.getByLabel('Loading messages')).toHaveCount(0);
  await findClassLink(reopenedPage, 'CS 146').click();
  await say(reopenedPage, 'and more');
  for (const name of ['Search', 'Create', 'Profile']) {
    await reopenedPage.getByRole('link', { name, exact: true }).click();
    await expect(reopenedPage.getByRole('heading', { level: 1 })).toBeVisible();
  }
  await reopenedPage.goto(`/home/${classId}`);
  await expect(findMessageText(reopenedPage, 'and more')).toBeVisible();
  expect([...missing, ...missingLater]).toEqual([]);

  await socket.post(classId, 'meanwhile');
  await reopenedPage.context().setOffline(false);
  await expect(findMessageText(reopenedPage, 'meanwhile')).toBeVisible({ timeout: 40_000 });
  await expect(reopenedPage.getByText(keptLine)).toHaveCount(0);
  await expect(place.getByRole('button', { name: /^Picture: Ada on a bridge/ })).toBeVisible();
  const listTexts = async (id: string) => {
    const query = { limit: 5 };
    const { messages } = await ada.call('listMessages', { params: { classId: id }, query });
    return messages.map(({ text }) => text);
  };
  await expect
    .poll(() => listTexts(classId), { timeout: 20_000 })
    .toEqual(['a picture', 'the last one', 'meanwhile', 'written offline', 'and more']);
  await expect.poll(() => listTexts(other)).toEqual([`in ${other}`, 'also here']);
});

test('without a network, Log Out takes everything away in all tabs, and later ends the session [OFFLINE-13, OFFLINE-14, PWA-5]', async ({
  windows,
  site,
}) => {
  const { student, classId, page } = await installInAClass(windows, site);
  await say(page, 'a secret');
  await keepOpened(page, classId, 'a secret');
  const tab = await openTab(page, classId);
  await expect(findMessageText(tab, 'a secret')).toBeVisible();
  expectOfflineErrors(windows);
  windows.expectConsoleError('401');
  await page.context().setOffline(true);
  const laterNotices = page.getByText('You see this as soon as the server can be reached again.');
  for (const title of ['Notifications', 'Devices'] as const) {
    await openProfilePage(page, title);
    await expect(laterNotices).toHaveCount(1);
    await expect(page.getByRole('alert').filter({ hasText: /./ })).toHaveCount(0);
  }
  await page.context().setOffline(false);
  const devices = page.getByRole('list', { name: 'Devices' });
  await expect(devices.getByText('This device')).toBeVisible();
  await page.getByRole('link', { name: 'Notifications' }).click();
  await expect(page.getByText('Quiet hours')).toBeVisible();
  await expect(laterNotices).toHaveCount(0);

  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Log Out' }).click();
  for (const currentPage of [page, tab]) {
    await expect(currentPage.getByText(/You are logged out on this device/)).toBeVisible();
    await expect(currentPage.getByText('a secret')).toHaveCount(0);
  }
  expect(await findKeptData(page)).toBe(null);
  await tab.close();
  await page.reload();
  await expect(page.getByText(/You are logged out on this device/)).toBeVisible();
  expect((await student.call('listDevices', {})).devices).toHaveLength(2);
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page).toHaveURL('/signin');
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
  expect((await student.call('listDevices', {})).devices).toHaveLength(1);
  const listLeftovers = () =>
    page.evaluate(async () => [
      ...(await caches.keys()),
      ...(await navigator.serviceWorker.getRegistrations()),
      ...Object.keys(localStorage),
    ]);
  await expect.poll(listLeftovers).toEqual([]);
  await signIn(page, student);
  await expect(findMessageText(page, 'a secret')).toBeVisible();
});

test('an update that is found before the network is cut waits until the network is back [PWA-7]', async ({
  windows,
}) => {
  const updated = await createUpdatedSite();
  try {
    const ada = await updated.app.createStudent('ada');
    const classId = await ada.createClass();
    await ada.post(classId, 'hello');
    const page = await openInstalled(windows, ada, { baseURL: updated.app.origin });
    await keepOpened(page, classId, 'hello');
    expectOfflineErrors(windows);
    windows.expectConsoleError('ERR_CONNECTION_REFUSED');
    await updated.update();
    await findUpdate(page);
    await page.context().setOffline(true);
    const missing = recordMissingFiles(page);
    await page.reload();
    await expect(findMessageText(page, 'hello')).toBeVisible();
    await openProfilePage(page, 'On this device');
    expect(missing).toEqual([]);
    await page.goto(`/home/${classId}`);
    await say(page, 'written offline');
    await page.context().setOffline(false);
    await expect(page.getByText(keptLine)).toHaveCount(0, { timeout: 40_000 });
    await expect(async () => {
      const { messages } = await ada.call('listMessages', { params: { classId }, query: {} });
      expect(messages.map(({ text }) => text)).toEqual(['hello', 'written offline']);
    }).toPass();
    await page.getByRole('button', { name: 'Reload' }).click();
    await expect(findMessageText(page, 'written offline')).toBeVisible();
  } finally {
    await windows.closeWindows();
    await updated.end();
  }
});
