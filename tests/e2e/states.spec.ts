import type { Page } from '@playwright/test';

import { expect, test } from './fixtures.ts';
import { findMessageText } from './room.ts';

test('the app explains each state in which there is nothing to show [LAYOUT-8, CHAT-13, LIST-6]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const page = await windows.openWindowAs(student);
  await expect(page.getByText('Join a class to start chatting.')).toBeVisible();
  await page.goto('/search?q=nothing like it');
  await expect(page.getByText('No class matches “nothing like it”.')).toBeVisible();

  windows.expectConsoleError('ERR_FAILED');
  await page.route('**/api/classes', (route) => route.abort());
  await page.goto('/home');
  const panel = page.getByRole('navigation', { name: 'My Classes' });
  await expect(panel.getByRole('alert')).toContainText(
    'The server cannot be reached. Please check your connection and try again.',
  );
  await page.unroute('**/api/classes');
  await panel.getByRole('button', { name: 'Retry' }).click();
  await expect(panel.getByText('You are not enrolled in any classes.')).toBeVisible();

  const theirs = await (await site.createStudent()).createClass({ courseNumber: '9' });
  await page.goto(`/home/${theirs}`);
  await expect(page.getByText('Join this class to see its chat.')).toBeVisible();

  await student.join(theirs);
  let open = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  await page.routeWebSocket('**/live', async (socket) => {
    await gate;
    socket.connectToServer();
  });
  await page.goto(`/home/${theirs}`);
  await expect(page.getByRole('status', { name: 'Loading messages' })).toBeVisible();
  open();
  await expect(page.getByText('No messages yet. Say hello, or share the class.')).toBeVisible();

  windows.expectConsoleError('ERR_INTERNET_DISCONNECTED');
  await page.context().setOffline(true);
  await expect(
    page.getByText('You are offline. Messages will be sent when you are back.', { exact: true }),
  ).toBeVisible();
});

test('a screen whose code is loading says so [LAYOUT-8]', async ({ windows, site }) => {
  const page = await windows.openWindowAs(await site.createStudent());
  for (const [link, heading, file] of [
    ['Create', 'Create Backchannel', 'create-screen'],
    ['Search', 'Search Classes', 'search-page'],
    ['Profile', 'Profile', 'profile-screen'],
  ] as const) {
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    await page.route(`**/assets/${file}-*.js`, async (route) => {
      await gate;
      await route.continue();
    });
    await page.getByRole('link', { name: link, exact: true }).click();
    await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible();
    open();
    await expect(page.getByRole('heading', { name: heading })).toBeVisible();
    await expect(page.getByRole('status', { name: 'Loading', exact: true })).toHaveCount(0);
  }
});

/** The elements that scroll sideways or extend beyond the window. */
function listOverflowing(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wide = [...document.querySelectorAll('body, body *')].filter((element) => {
      const { overflowX } = getComputedStyle(element);
      const scrolls = overflowX === 'auto' || overflowX === 'scroll' || element === document.body;
      return scrolls && element.scrollWidth > element.clientWidth;
    });
    const root = document.documentElement;
    if (root.scrollWidth > window.innerWidth) wide.push(root);
    return wide.map((element) => element.outerHTML.slice(0, 200));
  });
}

test('no text makes a screen scroll sideways at any width [LAYOUT-7]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const longWord = 'W'.repeat(120);
  await student.createClass({ courseName: 'מבני נתונים ואלגוריתמים', courseNumber: '2' });
  const classId = await student.createClass({
    courseName: longWord,
    subjectAbbreviation: 'W'.repeat(16),
    courseNumber: '8'.repeat(16),
    sectionNumber: 'W'.repeat(16),
    classSchedule: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  });
  const socket = await student.connect();
  for (const text of [
    'x'.repeat(4000),
    `https://university.edu/${'y'.repeat(1000)}`,
    'שלום עולם '.repeat(40),
    '🎓'.repeat(200),
    'done',
  ]) {
    await socket.post(classId, text);
  }
  const page = await windows.openWindowAs(student);
  const expectNothingSideways = async (screen: string) => {
    for (const width of [1280, 390, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => listOverflowing(page), `${screen}, ${width} wide`).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  await page.goto(`/home/${classId}`);
  await expect(findMessageText(page, 'done')).toBeVisible();
  await expect(page.getByRole('link', { name: 'CS 2' })).toBeVisible();
  await expectNothingSideways('chat and class list');
  await page.setViewportSize({ width: 320, height: 800 });
  await page.getByRole('button', { name: 'Class list' }).click();
  await expect(page.getByRole('link', { name: 'CS 2' })).toBeVisible();
  expect(await listOverflowing(page), 'class list on a phone').toEqual([]);
  for (const [path, name] of [
    [`/search?q=${'W'.repeat(16)}`, 'Search Classes'],
    ['/profile', 'Profile'],
    ['/create', 'Create Backchannel'],
    ['/privacy', 'Who can see what'],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name })).toBeVisible();
    if (path === '/profile') await expect(page.getByText(student.email)).toBeVisible();
    if (path.startsWith('/search')) await expect(page.getByText(longWord).first()).toBeVisible();
    await expectNothingSideways(path);
  }
});
