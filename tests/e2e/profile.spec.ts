import type { Page, Route } from '@playwright/test';
import { checkLooks } from './axe.ts';
import { expect, signIn, smallPhone, test } from './fixtures.ts';
import { findMessageText, say } from './room.ts';

/** Opens the profile from within the app, with a different answer to its call. */
async function openProfile(page: Page, answer: (route: Route) => Promise<void>): Promise<void> {
  await page.route('**/api/me', answer);
  await page.getByRole('link', { name: 'Profile' }).click();
  await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible();
}

test('the profile shows that it loads, then the address or an error, and Log Out [PROFILE-1, PROFILE-4]', async ({
  windows,
  site,
}) => {
  windows.expectConsoleError('The profile could not be read.');
  windows.expectConsoleError('500');
  const student = await site.createStudent();
  const page = await windows.openWindow();
  await page.clock.install();
  await signIn(page, student);
  const loading = page.getByText('Loading...', { exact: true });
  const address = page.getByText(student.email, { exact: true });
  const error = page.getByText('Error fetching email', { exact: true });
  const openAgain = async (answer: (route: Route) => Promise<void>) => {
    await page.unroute('**/api/me');
    await page.getByRole('link', { name: 'Search' }).click();
    await openProfile(page, answer);
  };

  // A slow answer is not an error.
  let letThrough = () => {};
  const gate = new Promise<void>((resolve) => (letThrough = resolve));
  await openProfile(page, (route) => gate.then(() => route.continue()));
  await expect(loading).toBeVisible();
  await page.clock.runFor(5000);
  await expect(loading).toBeVisible();
  letThrough();
  await expect(address).toBeVisible();
  await expect(page.getByRole('img', { name: 'School logo' })).toBeVisible();

  await openAgain((route) => route.fulfill({ json: { account: { email: '' } } }));
  await expect(page.getByText('No email provided', { exact: true })).toBeVisible();
  await openAgain((route) => route.fulfill({ json: { account: null } }));
  await expect(page.getByText('No email found', { exact: true })).toBeVisible();
  await openAgain((route) => route.fulfill({ status: 500, body: '' }));
  await expect(error).toBeVisible();
  await openAgain(() => new Promise(() => {}));
  await expect(loading).toBeVisible();
  await page.clock.runFor(16_000);
  await expect(error).toBeVisible();

  await page.unroute('**/api/me');
  await page.getByRole('button', { name: 'Log Out' }).click();
  await expect(page).toHaveURL('/signin');
});

/** The contents of the browser's storages, without cookies. */
async function countStoredData(
  page: Page,
): Promise<{ rows: number; local: string[]; session: string[] }> {
  return page.evaluate(async () => {
    let rows = 0;
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open(name);
        request.addEventListener('success', () => resolve(request.result));
        request.addEventListener('error', () => reject(new Error(name)));
      });
      for (const store of database.objectStoreNames) {
        const count = database.transaction(store).objectStore(store).count();
        await new Promise((resolve) => count.addEventListener('success', resolve));
        rows += count.result;
      }
      database.close();
    }
    return { rows, local: Object.keys(localStorage), session: Object.keys(sessionStorage) };
  });
}

test('Log Out deletes the account’s data from the browser [PROFILE-6, AUTH-18, AUTH-19]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  const other = await student.createClass({ courseNumber: '9' });
  const page = await windows.openWindowAs(student);
  // The post frame is lost on the way.
  await page.routeWebSocket('**/live', (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((frame) => {
      if (!String(frame).includes('"type":"post"')) server.send(frame);
    });
  });
  await page.goto(`/home/${other}`);
  await page.getByPlaceholder('Type a message...').fill('a draft that nobody shall find');
  await page.getByRole('link', { name: 'CS 146' }).click();
  await expect(page).toHaveURL(`/home/${classId}`);
  await say(page, 'a message that was never sent');
  await expect(findMessageText(page, 'a message that was never sent')).toBeVisible();
  await expect(async () => {
    const { rows, local, session } = await countStoredData(page);
    // The message, and after a while what the app keeps of the rooms.
    expect(rows).toBeGreaterThan(0);
    // The draft, and which decisions of moderators are not new.
    expect(local).toHaveLength(2);
    // What was unread when a room opened.
    expect(session.length).toBeGreaterThan(0);
  }).toPass();

  // The page may still load its sections when the session ends.
  windows.expectConsoleError('401');
  await page.getByRole('link', { name: 'Profile' }).click();
  await expect(page.getByText(student.email)).toBeVisible();
  await page.getByRole('button', { name: 'Log Out' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('not sent and will be lost');
  // The rooms open /signin as soon as their connection ends, and then the page reloads.
  const loaded = page.waitForEvent('load');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Log Out' }).click();
  await loaded;
  await expect(page).toHaveURL('/signin');
  expect(await countStoredData(page)).toEqual({ rows: 0, local: [], session: [] });
  // A known browser stays known: its cookie does not reveal the account. AUTH-57
  const cookies = (await page.context().cookies()).filter(({ value }) => value !== '');
  expect(cookies.map(({ name }) => name)).toEqual(['backchannel.browser']);
});

const pages = [
  ['Account', '/profile', 'Profile'],
  ['Notifications', '/profile/notifications', 'Notifications'],
  ['Appearance', '/profile/appearance', 'Appearance'],
  ['On this device', '/profile/this-device', 'On this device'],
  ['Devices', '/profile/devices', 'Devices'],
] as const;

test('the profile has five pages with addresses, titles and links [PROFILE-32, PROFILE-33, LAYOUT-13]', async ({
  windows,
  site,
}) => {
  const page = await windows.openWindowAs(await site.createStudent());
  await page.getByRole('link', { name: 'Profile' }).click();
  const links = page.getByRole('navigation', { name: 'Profile' }).getByRole('link');
  await expect(links).toHaveText(pages.map(([name]) => name));

  for (const [name, path, heading] of [...pages.slice(1), pages[0]]) {
    await links.filter({ hasText: name }).click();
    await expect(page).toHaveURL(path);
    await expect(page).toHaveTitle(new RegExp(`^${heading} · `));
    await expect(page.getByRole('heading', { level: 1, name: heading, exact: true })).toBeFocused();
    await expect(links.and(page.locator('[aria-current=page]'))).toHaveText(name);
  }
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'Devices' })).toBeFocused();

  // By their addresses, too.
  for (const [, path, heading] of pages) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1, name: heading, exact: true })).toBeVisible();
  }
  await page.goto('/profile/password');
  await expect(page).toHaveURL('/home');
});

test('on a phone the first page of the profile lists the others, which lead back [PROFILE-1, PROFILE-33]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const page = await windows.openWindowAs(student, smallPhone);
  await page.goto('/profile');
  await expect(page.getByText(student.email)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Log Out' })).toBeInViewport();
  const links = page.getByRole('navigation', { name: 'Profile' }).getByRole('link');
  await expect(links).toHaveText(pages.slice(1).map(([name]) => name));
  expect((await links.first().boundingBox())?.height).toBeGreaterThanOrEqual(40);

  await links.filter({ hasText: 'Appearance' }).tap();
  await expect(page.getByRole('radio', { name: 'System' })).toBeVisible();
  await checkLooks(page, 'appearance');
  await expect(links).toHaveCount(0);
  await page.getByRole('main').getByRole('link', { name: 'Profile' }).tap();
  await expect(page).toHaveURL('/profile');
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'Appearance' })).toBeVisible();
});
