// What a new version of the app does to tabs that run the old one.
import type { Page } from '@playwright/test';
import { grantRoleByCommand } from '#tests/support/roles.ts';
import { expect, test } from './fixtures.ts';
import { findCaseRow, findReasonField } from './moderation.ts';
import { createUpdatedSite, type UpdatedSite } from './new-version.ts';
import { choose, createPhoto, findStagedPictures } from './picture-files.ts';
import { openMenu, say } from './room.ts';
import { listCachedUrls, findUpdate, openInstalled } from './service-worker.ts';

// The tests of this file share a server, so they run in order.
test.describe.configure({ mode: 'default' });
let site: UpdatedSite;
test.beforeAll(async () => {
  site = await createUpdatedSite();
});
test.beforeEach(({ windows }) => {
  // An update restarts the server.
  windows.expectConsoleError('WebSocket connection');
  windows.expectConsoleError('ERR_CONNECTION_REFUSED');
});
test.afterAll(() => site.end());

const findField = (page: Page) => page.getByRole('textbox', { name: /^Message/ });
const findUpdateOffer = (page: Page) => page.getByText('A new version is ready');

const getMainScriptUrl = (page: Page) =>
  page.evaluate(() => document.querySelector<HTMLScriptElement>('script[type=module]')?.src);

/** Makes the server look like one with a newer version, while its page still names the old one. */
async function loseCode(page: Page): Promise<void> {
  const ownPath = new URL((await getMainScriptUrl(page)) ?? '').pathname;
  await page.route('**/assets/search-page-*.js', (route) => route.fulfill({ status: 404 }));
  await page.route(`**${ownPath}`, (route) =>
    route.request().method() === 'HEAD' ? route.fulfill({ status: 404 }) : route.continue(),
  );
}

test('a new version offers a reload only when it loses no draft, picture or unsent message [PWA-6]', async ({
  windows,
}) => {
  windows.expectConsoleError('ERR_INTERNET_DISCONNECTED');
  const ada = await site.app.createStudent();
  await ada.createClass();
  const page = await openInstalled(windows, ada, { baseURL: site.app.origin });
  await page.clock.install();
  await page.reload();
  const scriptBefore = await getMainScriptUrl(page);
  await findField(page).fill('half a thought');
  await choose(page, await createPhoto());
  await expect(findStagedPictures(page)).toHaveCount(1);
  await site.update();
  await findUpdate(page);
  await page.clock.fastForward(4000);
  await expect(findUpdateOffer(page)).toBeHidden();
  await findField(page).fill('');
  await page.clock.fastForward(4000);
  await expect(findUpdateOffer(page)).toBeHidden();
  await page.getByRole('button', { name: /^Remove/ }).click();
  await expect(findUpdateOffer(page)).toBeVisible();
  await page.context().setOffline(true);
  await say(page, 'not sent yet');
  await expect(findUpdateOffer(page)).toBeHidden();
  await page.context().setOffline(false);
  await expect(findUpdateOffer(page)).toBeVisible();
  await findField(page).fill('another thought');
  await expect(findUpdateOffer(page)).toBeHidden();
  await findField(page).press('Enter');
  await expect(findUpdateOffer(page)).toBeVisible();
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect.poll(() => getMainScriptUrl(page)).not.toBe(scriptBefore);
  await expect(page.getByText('another thought')).toBeVisible();
  // The new version has taken over, and does not offer itself.
  await page.waitForFunction(async () => {
    const { waiting, active } = await navigator.serviceWorker.ready;
    return waiting === null && active?.state === 'activated';
  });
  await page.clock.fastForward(3000);
  await expect(findUpdateOffer(page)).toBeHidden();
});

test('a tab of the old version works on after another tab has updated [PWA-7]', async ({
  windows,
}) => {
  const ada = await site.app.createStudent();
  await ada.createClass();
  const page = await openInstalled(windows, ada, { baseURL: site.app.origin });
  const other = await page.context().newPage();
  await other.goto('/home');
  await expect(findField(other)).toBeVisible();
  const old = await getMainScriptUrl(other);
  await site.update();
  await findUpdate(page);
  await expect(findUpdateOffer(page)).toBeVisible();
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect.poll(() => getMainScriptUrl(page)).not.toBe(old);
  await expect(findUpdateOffer(other)).toBeVisible();
  await other.getByRole('link', { name: 'Search' }).click();
  await expect(other.getByRole('searchbox')).toBeVisible();
  expect(await getMainScriptUrl(other)).toBe(old);
  expect((await listCachedUrls(other)).filter((url) => url === '/home')).toHaveLength(2);
});

test('a tab of the old version works on if it misses a version [PWA-7]', async ({ windows }) => {
  const ada = await site.app.createStudent();
  await ada.createClass();
  const page = await openInstalled(windows, ada, { baseURL: site.app.origin });
  const old = await getMainScriptUrl(page);
  await site.update();
  await findUpdate(page);
  await site.update();
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const waitingBefore = registration.waiting;
    await registration.update();
    while ([null, waitingBefore].includes(registration.waiting)) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    // The other tab lets it take over.
    Object.assign(globalThis, { newest: registration.waiting });
  });
  const other = await page.context().newPage();
  await other.goto('/home');
  await expect(findField(other)).toBeVisible();
  const getWorkerState = () =>
    page.evaluate(() => (globalThis as unknown as { newest: ServiceWorker }).newest.state);
  await expect.poll(getWorkerState).toBe('activated');
  expect(await listCachedUrls(page)).toContain(new URL(old ?? '').pathname);
  await page.getByRole('link', { name: 'Search' }).click();
  await expect(page.getByRole('searchbox')).toBeVisible();
  expect(await getMainScriptUrl(page)).toBe(old);
});

test('a tab without a service worker reloads itself if its code is gone [PWA-8]', async ({
  windows,
}) => {
  windows.expectConsoleError('404 (Not Found)');
  windows.expectConsoleError('Refused to apply style');
  windows.expectConsoleError('Unable to preload CSS');
  windows.expectConsoleError('Failed to fetch dynamically imported module');
  const ada = await site.app.createStudent();
  await ada.createClass();
  const page = await windows.openWindowAs(ada, { baseURL: site.app.origin });
  const old = await getMainScriptUrl(page);
  await findField(page).fill('half a thought');
  // What loads ahead would lose its code first, and the reload the click.
  await page.waitForLoadState('networkidle');
  await site.update();
  await page.getByRole('link', { name: 'Search' }).click();
  await expect(page.getByRole('searchbox')).toBeVisible();
  expect(await getMainScriptUrl(page)).not.toBe(old);
  await page.goBack();
  await expect(findField(page)).toHaveValue('half a thought');
});

test('a tab reloads itself only once for the same code [PWA-8]', async ({ windows }) => {
  windows.expectConsoleError('404 (Not Found)');
  windows.expectConsoleError('Refused to apply style');
  windows.expectConsoleError('Unable to preload CSS');
  windows.expectConsoleError('Failed to fetch dynamically imported module');
  const ada = await site.app.createStudent();
  await ada.createClass();
  const page = await windows.openWindowAs(ada, { baseURL: site.app.origin });
  await expect(findField(page)).toBeVisible();
  await loseCode(page);
  let loads = 0;
  page.on('load', () => loads++);
  await page.getByRole('link', { name: 'Search' }).click();
  await expect(page.getByText('This page could not be shown')).toBeVisible();
  // The event may come after what the page shows.
  await expect.poll(() => loads).toBe(1);
});

test('a tab does not reload itself while it has something that a reload would lose [PWA-8]', async ({
  windows,
}) => {
  windows.expectConsoleError('404 (Not Found)');
  windows.expectConsoleError('Failed to fetch dynamically imported module');
  const ada = await site.app.createStudent();
  await ada.post(await ada.createClass(), 'So?');
  const page = await windows.openWindowAs(ada, { baseURL: site.app.origin });
  await openMenu(page, 'So?');
  await page.getByRole('menuitem', { name: 'Reply' }).click();
  await loseCode(page);
  let loads = 0;
  page.on('load', () => loads++);
  await page.getByRole('link', { name: 'Search' }).click();
  await expect(page.getByText('This page could not be shown')).toBeVisible();
  expect(loads).toBe(0);
});

test('a new version also waits for decisions that a moderator has not made yet [PWA-6]', async ({
  windows,
}) => {
  const ada = await site.app.createStudent();
  const classId = await ada.createClass();
  const moderator = await site.app.createStudent();
  const role = { email: moderator.email, classId };
  await grantRoleByCommand(site.app.database.settings, role, 'Mia');
  const ben = await site.app.createStudent();
  await ben.join(classId);
  for (const text of ['buy this', 'and that']) {
    const { id } = await ada.post(classId, text);
    const body = { messageId: id, reason: 'spam' } as const;
    await ben.call('reportMember', { params: { classId }, body });
  }
  const desk = await openInstalled(windows, moderator, { baseURL: site.app.origin });
  await desk.clock.install();
  await desk.goto('/moderation');
  await findCaseRow(desk, 'buy this').click();
  await desk.keyboard.press('2');
  await findReasonField(desk).fill('No advertising');
  // The other case has nothing typed, and no field.
  await findCaseRow(desk, 'and that').click();
  await expect(findReasonField(desk)).toBeHidden();
  await site.update();
  await findUpdate(desk);
  await desk.clock.fastForward(4000);
  await expect(findUpdateOffer(desk)).toBeHidden();
  await findCaseRow(desk, 'buy this').click();
  await findReasonField(desk).press('Enter');
  await expect(desk.getByRole('button', { name: 'Undo' })).toBeVisible();
  await expect(findUpdateOffer(desk)).toBeHidden();
  await desk.clock.fastForward(10_000);
  await expect(findUpdateOffer(desk)).toBeVisible();
  await expect(desk.getByRole('button', { name: 'Undo' })).toBeHidden();
});
