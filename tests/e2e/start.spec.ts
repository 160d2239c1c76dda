// What a page requests before the code of its screens has arrived.
import type { Page, WebSocket } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { findMessageText } from './room.ts';

/** Holds the code of all screens back. @returns lets it through */
async function holdScreens(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/assets\/(index|member-area)-[^/]*\.js$/, (route) =>
    released.then(() => route.continue()),
  );
  return release;
}

/** The classes that the page's newest socket subscribes to, in order. A page before this one may still open a socket. */
function watchSubscriptions(page: Page): { classId: string; light?: true }[] {
  const subscribed: { classId: string; light?: true }[] = [];
  page.on('websocket', (socket: WebSocket) => {
    subscribed.length = 0;
    socket.on('framesent', ({ payload }) => {
      const { type, classId, light } = JSON.parse(String(payload));
      if (type === 'subscribe') subscribed.push({ classId, ...(light && { light }) });
    });
  });
  return subscribed;
}

test('the app subscribes to the room of the URL first, before the code of the screens has loaded [ROUTE-12]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const other = await student.createClass({ courseNumber: '1' });
  const classId = await student.createClass({ courseNumber: '2' });
  await student.post(classId, 'already here');
  const page = await windows.openWindowAs(student);
  const subscribed = watchSubscriptions(page);
  const release = await holdScreens(page);
  await page.goto(`/home/${classId}`, { waitUntil: 'commit' });
  await expect.poll(() => subscribed).toEqual([{ classId }]);
  await expect(page.getByText('Loading...', { exact: true })).toBeVisible();
  release();
  await expect(findMessageText(page, 'already here')).toBeVisible();
  await expect.poll(() => subscribed).toEqual([{ classId }, { classId: other, light: true }]);
});

test('/home subscribes first to the class that it opens [ROUTE-12]', async ({ windows, site }) => {
  const student = await site.createStudent();
  const stranger = await site.createStudent();
  await student.createClass({ courseNumber: '2' });
  const first = await student.createClass({ courseNumber: '1' });
  const page = await windows.openWindowAs(student);
  const subscribed = watchSubscriptions(page);
  const release = await holdScreens(page);
  await page.goto('/home', { waitUntil: 'commit' });
  await expect.poll(() => subscribed).toEqual([{ classId: first }]);
  release();
  await expect(page).toHaveURL(`/home/${first}`);

  const foreign = await stranger.createClass({ courseNumber: '3' });
  const subscriptions = watchSubscriptions(page);
  await page.goto(`/home/${foreign}`);
  await expect(page.getByRole('dialog', { name: 'Join Class' })).toBeVisible();
  await expect.poll(() => subscriptions.length).toBe(2);
  expect(subscriptions.map(({ classId }) => classId)).not.toContain(foreign);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await expect(page.getByPlaceholder('Type a message...')).toBeVisible();
});

test('a visitor without a session loads nothing of members and opens no socket [ROUTE-15]', async ({
  windows,
}) => {
  const page = await windows.openWindow();
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  page.on('websocket', (socket) => requested.push(socket.url()));
  await page.goto('/home');
  await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(requested).toContain('/api/me');
  expect(requested.filter((path) => /member-area|live|classes/.test(path))).toEqual([]);
});

test('a session that has ended leads to sign-in and then to the page of visitors [ROUTE-15]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const page = await windows.openWindowAs(student);
  await expect(page).toHaveURL('/home');
  windows.expectConsoleError('401');
  await page.goto('about:blank');
  const otherBrowser = student.newBrowser();
  await otherBrowser.signIn();
  await otherBrowser.call('signOutOtherDevices', {});
  await page.goto('/search');
  await expect(page).toHaveURL('/signin');
  // The reply of /api/me ends the cookie.
  await page.waitForLoadState('networkidle');
  await page.goto('/home');
  await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible();
  expect(await page.locator('link[href*="member-area"]').count()).toBe(0);
});

test('the screens behind sign-in replace Loading... as soon as their code is there [ROUTE-18]', async ({
  windows,
  site,
}) => {
  const page = await windows.openWindowAs(await site.createStudent());
  windows.expectConsoleError('Failed to fetch dynamically imported module');
  windows.expectConsoleError('ERR_FAILED');
  await page.route('**/assets/member-area-*.js', (route) => route.abort());
  await page.goto('/home');
  await expect(page.getByText('This page could not be shown.')).toBeVisible();
  await page.unroute('**/assets/member-area-*.js');
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByText('Ask what everyone is wondering.')).toBeVisible();
});
