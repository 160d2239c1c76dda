// A room that shows its end keeps showing it while no one touches it.
import type { Page } from '@playwright/test';
import { waitForServer } from '#tests/support/notifications.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, test, type Windows, type Site } from './fixtures.ts';
import {
  findComposer,
  findClassLink,
  findMessage,
  findRoom,
  findMessageText,
  waitUntilListIsStill,
} from './room.ts';

const findNewestButton = (page: Page) => page.getByRole('button', { name: /newest message|new$/ });

/** Ben looks at another class while Ada posts. */
async function setUp(windows: Windows, site: Site, posts: { read: number; unread: number }) {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await ben.createClass({ subjectAbbreviation: 'math', courseNumber: '32' });
  const socket = await ada.connectTo(classId);
  for (let n = 1; n <= posts.read; n++) await socket.post(classId, `old ${n}`);
  const page = await windows.openWindowAs(ben);
  await page.goto('/home');
  await findClassLink(page, /^MATH 32/).click();
  await expect(findClassLink(page, /^CS 146/)).not.toContainText('unread');
  for (let n = 1; n <= posts.unread; n++) await socket.post(classId, `new ${n}`);
  if (posts.unread > 0) await expect(findClassLink(page, /^CS 146/)).toContainText('unread');
  return { page, socket, his: await ben.connectTo(classId), classId };
}

test('a class whose unread messages fit the window follows its end until the member moves [CHAT-65]', async ({
  windows,
  site,
}) => {
  const { page, socket, his, classId } = await setUp(windows, site, { read: 30, unread: 3 });
  let last = 'new 3';
  for (const open of [
    () => findClassLink(page, /^CS 146/).click(),
    () => page.reload(),
    async () => {
      await findClassLink(page, /^MATH 32/).click();
      await findClassLink(page, /^CS 146/).click();
    },
  ]) {
    await open();
    await expect(findMessage(page, last)).toBeInViewport({ ratio: 1 });
    await waitUntilListIsStill(page);
    for (let n = 1; n <= 5; n++) await socket.post(classId, `Further ${n}`);
    const text = `${last}, further on${'\nwith more lines'.repeat(3)}`;
    const { id } = await socket.post(classId, text);
    last = `${last}, further on`;
    await expect(findMessage(page, last)).toBeInViewport({ ratio: 1 });
    await his.request({ type: 'react', classId, messageId: id, emoji: '👍' });
    await expect(findMessage(page, last).getByRole('list')).toBeInViewport({ ratio: 1 });
    await socket.request({ type: 'edit', classId, messageId: id, text: `${text}${text}` });
    await expect(findMessage(page, last)).toContainText('edited');
    await expect(findMessage(page, last)).toBeInViewport({ ratio: 1 });
    await findComposer(page).fill('line\n'.repeat(10));
    await expect(findMessage(page, last)).toBeInViewport({ ratio: 1 });
    await findComposer(page).fill('');
    await expect(findNewestButton(page)).toHaveCount(0);
  }
});

test('the keyboard of a phone leaves the newest message in view [CHAT-65]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const socket = await ada.connectTo(classId);
  const his = await ben.connectTo(classId);
  for (let n = 1; n <= 30; n++) await socket.post(classId, `old ${n}`);
  const { to: seq } = await his.waitFor('events', ({ to }) => to >= 30);
  his.send({ type: 'read', classId, seq });
  await waitForServer(his);
  for (let n = 1; n <= 3; n++) await socket.post(classId, `new ${n}`);
  const page = await windows.openWindowAs(ben, { viewport: { width: 390, height: 844 } });
  await page.goto(`/home/${classId}`);
  await expect(findMessageText(page, 'new 3')).toBeInViewport({ ratio: 1 });
  await waitUntilListIsStill(page);

  await page.setViewportSize({ width: 390, height: 500 });

  await expect(findMessageText(page, 'new 3')).toBeInViewport({ ratio: 1 });
  await socket.post(classId, 'new 4');
  await expect(findMessageText(page, 'new 4')).toBeInViewport({ ratio: 1 });
  await expect(findNewestButton(page)).toHaveCount(0);
});

test('a class that is opened with forty unread messages stays at the first of them [LIST-21]', async ({
  windows,
  site,
}) => {
  const { page, socket, classId } = await setUp(windows, site, { read: 3, unread: 40 });
  await findClassLink(page, /^CS 146/).click();
  await expect(findMessageText(page, 'new 1')).toBeInViewport();
  await waitUntilListIsStill(page);
  const top = await findRoom(page).evaluate((list) => list.scrollTop);
  await socket.post(classId, 'further');
  await expect(findNewestButton(page)).toHaveText('1 new');
  expect(await findRoom(page).evaluate((list) => list.scrollTop)).toBe(top);
});
