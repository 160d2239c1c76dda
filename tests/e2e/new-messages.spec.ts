// Opening a room with unread messages, marking messages as unread, and coming back to a place in a room.
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, test, type Windows, type Site } from './fixtures.ts';
import {
  findClassLink,
  findMessage,
  openMenu,
  findRoom,
  findMessageText,
  findNewMessagesLine,
} from './room.ts';

/** Ben looks at another class while Ada posts. */
async function setUp(windows: Windows, site: Site, unread: number) {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await ben.createClass({ subjectAbbreviation: 'math', courseNumber: '32' });
  const socket = await ada.connectTo(classId);
  for (let n = 1; n <= 30; n++) await socket.post(classId, `old ${n}`);
  const page = await windows.openWindowAs(ben);
  await page.goto('/home');
  await findClassLink(page, /^MATH 32/).click();
  await expect(findClassLink(page, /^CS 146/)).not.toContainText('unread');
  for (let n = 1; n <= unread; n++) await socket.post(classId, `new ${n}`);
  await expect(findClassLink(page, /^CS 146/)).toContainText(`${unread} unread`);
  return { page, socket, classId, ben };
}

test('a class opens at the first unread message under a line that stays until Esc [LIST-21, LIST-22]', async ({
  windows,
  site,
}) => {
  const { page, socket, classId } = await setUp(windows, site, 40);
  await findClassLink(page, /^CS 146/).click();
  await expect(findNewMessagesLine(page)).toBeInViewport();
  await expect(findNewMessagesLine(page)).toHaveText('40 new messages');
  await expect(findMessageText(page, 'old 30')).toBeInViewport();
  await expect(findMessageText(page, 'new 1')).toBeInViewport();
  await expect(findRoom(page).getByText('new 40', { exact: true })).not.toBeInViewport();
  await expect(findClassLink(page, /^CS 146/)).not.toContainText('unread');
  const top = (await findNewMessagesLine(page).boundingBox())?.y;
  await socket.post(classId, 'newest');
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible();
  expect((await findNewMessagesLine(page).boundingBox())?.y).toBe(top);
  await page.keyboard.press('Escape');
  await expect(findNewMessagesLine(page)).toHaveCount(0);
  await findClassLink(page, /^MATH 32/).click();
  await findClassLink(page, /^CS 146/).click();
  await expect(findMessageText(page, 'new 1')).toBeVisible();
  await expect(findNewMessagesLine(page)).toHaveCount(0);

  await findRoom(page).hover();
  await page.mouse.wheel(0, -500);
  const place = findMessage(page, 'old 15');
  await expect(page.getByRole('button', { name: 'Go to the newest message' })).toBeVisible();
  await place.scrollIntoViewIfNeeded();
  await expect(place).toBeInViewport();
  const topBefore = (await place.boundingBox())?.y ?? 0;
  await findClassLink(page, /^MATH 32/).click();
  await findClassLink(page, /^CS 146/).click();
  await expect(place).toBeInViewport();
  await expect
    .poll(async () => Math.abs(((await place.boundingBox())?.y ?? 0) - topBefore))
    .toBeLessThan(3);
});

test('a member marks messages as unread and as read again, also in other tabs [LAYOUT-7, LIST-23, LIST-20, LIST-22]', async ({
  windows,
  site,
}) => {
  const { page } = await setUp(windows, site, 3);
  await findClassLink(page, /^CS 146/).click();
  await expect(findNewMessagesLine(page)).toBeVisible();
  await findRoom(page).getByRole('button', { name: 'Mark as read' }).click();
  await expect(findNewMessagesLine(page)).toHaveCount(0);
  const other = await page.context().newPage();
  await other.goto('/home');
  await expect(findClassLink(other, /^CS 146/)).not.toContainText('unread');
  await openMenu(page, 'new 2');
  await page.getByRole('menuitem', { name: 'Mark unread from here' }).click();
  await expect(findNewMessagesLine(page)).toBeVisible();
  await expect(findClassLink(page, /^CS 146/)).toContainText('2 unread messages');
  await expect(findClassLink(other, /^CS 146/)).toContainText('2 unread messages');
  await expect(page).toHaveTitle('(2) CS 146 · Backchannel');
  await findRoom(page).getByRole('button', { name: 'Mark as read' }).click();
  await expect(findClassLink(page, /^CS 146/)).not.toContainText('unread');
  await expect(findClassLink(other, /^CS 146/)).not.toContainText('unread');

  await openMenu(page, 'new 2');
  await page.getByRole('menuitem', { name: 'Mark unread from here' }).click();
  await page.setViewportSize({ width: 320, height: 700 });
  await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
  const button = findRoom(page).getByRole('button', { name: 'Mark as read' });
  await expect
    .poll(async () => {
      const { x, width } = (await button.boundingBox())!;
      return x + width;
    })
    .toBeLessThanOrEqual(320);
  await button.click();
  await expect(findNewMessagesLine(page)).toHaveCount(0);
});

test('a class opens at an unread message that is not among the newest, and counts stop at fifty [LIST-21, LIST-10]', async ({
  windows,
  site,
}) => {
  const { page, socket, classId } = await setUp(windows, site, 45);
  for (let n = 46; n <= 60; n++) await socket.post(classId, `new ${n}`);
  await expect(findClassLink(page, /^CS 146/)).toContainText('50+ unread messages');
  await expect(page).toHaveTitle('(50+) MATH 32 · Backchannel');
  await page.reload();
  await findClassLink(page, /^CS 146/).click();
  await expect(findMessageText(page, 'new 1')).toBeInViewport();
  await expect(findNewMessagesLine(page)).toBeInViewport();
  await expect(findNewMessagesLine(page)).toHaveText('60 new messages');
});

test('messages that a member saw in the last second before a reload are read [LIST-20]', async ({
  windows,
  site,
}) => {
  const { page, socket, classId } = await setUp(windows, site, 1);
  await findClassLink(page, /^CS 146/).click();
  await findRoom(page).getByRole('button', { name: 'Mark as read' }).click();
  for (let n = 1; n <= 5; n++) {
    await socket.post(classId, `seen ${n}`);
    await expect(findMessageText(page, `seen ${n}`)).toBeInViewport();
  }

  await page.reload();

  await expect(findMessageText(page, 'seen 5')).toBeInViewport();
  await expect(findNewMessagesLine(page)).toHaveCount(0);
});
