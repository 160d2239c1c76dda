// A room that shows its end keeps showing it while no one touches it.
import type { Page } from '@playwright/test';
import { waitForServer } from '#tests/support/notifications.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, test, type Windows, type Site } from './fixtures.ts';
import { createPhoto, expectLoaded, findPictures, sendPicture } from './picture-files.ts';
import {
  findComposer,
  findClassLink,
  findMessage,
  findRoom,
  findMessageText,
  waitUntilListIsStill,
  findNewestButton,
  findNewMessagesLine,
  openMenu,
} from './room.ts';

/** Posts messages that end with 1, 2, 3 and so on, without waiting for each. */
async function postAll(socket: TestSocket, classId: string, text: string, count: number) {
  await Promise.all(
    Array.from({ length: count }, (_, n) => socket.post(classId, `${text} ${n + 1}`)),
  );
}

/** Ben looks at another class while Ada posts. */
async function setUp(windows: Windows, site: Site, posts: { read: number; unread: number }) {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await ben.createClass({ subjectAbbreviation: 'math', courseNumber: '32' });
  const socket = await ada.connectTo(classId);
  await postAll(socket, classId, 'old', posts.read);
  const page = await windows.openWindowAs(ben);
  await page.goto('/home');
  await findClassLink(page, /^MATH 32/).click();
  await expect(findClassLink(page, /^CS 146/)).not.toContainText('unread');
  await postAll(socket, classId, 'new', posts.unread);
  if (posts.unread > 0) await expect(findClassLink(page, /^CS 146/)).toContainText('unread');
  return { ada, page, socket, his: await ben.connectTo(classId), classId };
}

/**
 * Watches the last row of the list as it is painted.
 *
 * @returns lists the rows that were not fully in view while they were the last one
 */
async function watchLastRow(page: Page): Promise<() => Promise<string[]>> {
  const watch = await findRoom(page).evaluateHandle((list) => {
    const missedRows: string[] = [];
    let lastRow: Element | null = null;
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, intersectionRatio } of entries) {
          const isMissed = target === lastRow && intersectionRatio < 0.99;
          if (isMissed) missedRows.push(`${target.textContent}: ${intersectionRatio}`);
        }
      },
      { root: list, threshold: [0, 0.5, 0.99] },
    );
    const watchLast = () => {
      const row = list.querySelector('ol')?.lastElementChild;
      if (!row || row === lastRow) return;
      if (lastRow) observer.unobserve(lastRow);
      lastRow = row;
      observer.observe(row);
    };
    new MutationObserver(watchLast).observe(list, { childList: true, subtree: true });
    watchLast();
    return missedRows;
  });
  return () => watch.jsonValue();
}

test('a class with three unread messages that fit the window follows its end until the member moves [CHAT-8]', async ({
  windows,
  site,
}) => {
  const { ada, page, socket, his, classId } = await setUp(windows, site, { read: 30, unread: 3 });
  const photo = await createPhoto();
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
    const missedRows = await watchLastRow(page);
    await Promise.all(Array.from({ length: 10 }, (_, n) => socket.post(classId, `Further ${n}`)));
    last = `${last}, further on`;
    const text = `${last}${'\nwith more lines'.repeat(3)}`;
    const { id: messageId } = await socket.post(classId, text);
    await expect(findMessage(page, last)).toBeInViewport({ ratio: 1 });
    await his.request({ type: 'react', classId, messageId, emoji: '👍' });
    await expect(findMessage(page, last).getByRole('list')).toBeInViewport({ ratio: 1 });
    await socket.request({ type: 'edit', classId, messageId, text: `${text}${text}` });
    await expect(findMessage(page, last)).toContainText('edited');
    await expect(findMessage(page, last)).toBeInViewport({ ratio: 1 });
    await findComposer(page).fill('line\n'.repeat(10));
    await expect(findMessage(page, last)).toBeInViewport({ ratio: 1 });
    await findComposer(page).fill('');
    await sendPicture(ada, classId, photo, { text: `${last}, a picture` });
    await expect(findMessage(page, `${last}, a picture`)).toBeInViewport({ ratio: 1 });
    await expectLoaded(findPictures(page).last());
    await expect(findMessage(page, `${last}, a picture`)).toBeInViewport({ ratio: 1 });
    last = `${last}, a picture`;
    await expect(findNewestButton(page)).toHaveCount(0);
    expect(await missedRows()).toEqual([]);
  }
});

test('a class with 400 unread messages, more than it loads to find the first one, opens at its end and follows it [CHAT-8, LIST-21]', async ({
  windows,
  site,
}) => {
  const { page, socket, classId } = await setUp(windows, site, { read: 1, unread: 400 });
  // A new page does not hold what the old one has received.
  await page.goto(`/home/${classId}`);
  await expect(findMessageText(page, 'new 400')).toBeInViewport({ ratio: 1 });
  await waitUntilListIsStill(page);

  await socket.post(classId, 'further');

  await expect(findMessageText(page, 'further')).toBeInViewport({ ratio: 1 });
  await expect(findNewestButton(page)).toHaveCount(0);
  await findRoom(page).focus();
  // Each press can load a page of older messages.
  await expect(async () => {
    await page.keyboard.press('Home');
    expect(await findNewMessagesLine(page).count()).toBe(1);
  }).toPass({ intervals: [100] });
  await expect(findNewMessagesLine(page)).toHaveText('400 new messages');
});

test('a link, a key and a mark that end where the newest message is visible leave the list following it [CHAT-8]', async ({
  windows,
  site,
}) => {
  const { page, socket, classId } = await setUp(windows, site, { read: 30, unread: 3 });
  const { id } = await socket.post(classId, 'linked');
  for (const { name, act } of [
    {
      name: 'link',
      async act() {
        await page.goto(`/home/${classId}?message=${id}`);
        await expect(findRoom(page).locator(`[data-message="${id}"]`)).toBeFocused();
      },
    },
    {
      name: 'key',
      async act() {
        await page.keyboard.press('Home');
        await expect(findNewestButton(page)).toBeVisible();
        await page.keyboard.press('End');
        await expect(findNewestButton(page)).toHaveCount(0);
      },
    },
    {
      name: 'wheel',
      async act() {
        await findRoom(page).hover();
        await page.mouse.wheel(0, -400);
        await expect(findNewestButton(page)).toBeVisible();
        await page.mouse.wheel(0, 380);
        await expect(findNewestButton(page)).toHaveCount(0);
      },
    },
    {
      name: 'mark',
      async act() {
        await openMenu(page, 'after the wheel');
        await page.getByRole('menuitem', { name: 'Mark unread from here' }).click();
        await expect(findNewMessagesLine(page)).toHaveText('1 new message');
      },
    },
    {
      name: 'removed mark',
      async act() {
        await page.keyboard.press('Escape');
        await expect(findNewMessagesLine(page)).toHaveCount(0);
      },
    },
  ]) {
    await act();

    await socket.post(classId, `after the ${name}${'\nwith more lines'.repeat(3)}`);

    await expect(findMessage(page, `after the ${name}`)).toBeInViewport({ ratio: 1 });
    await expect(findNewestButton(page)).toHaveCount(0);
  }
});

test('twenty messages a second on a processor that is four times slower cause no error, and the last one is in view in every frame [CHAT-8, WIRE-45]', async ({
  windows,
  site,
}) => {
  const { page, socket, classId } = await setUp(windows, site, { read: 30, unread: 3 });
  const devtools = await page.context().newCDPSession(page);
  await findClassLink(page, /^CS 146/).click();
  await expect(findMessageText(page, 'new 3')).toBeInViewport({ ratio: 1 });
  const missedRows = await watchLastRow(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });

  for (let n = 1; n <= 50; n++) {
    const end = n % 7 === 0 ? '\nwith more lines'.repeat(4) : '';
    await Promise.all([
      socket.post(classId, `Flood ${n}${end}`),
      new Promise((resolve) => setTimeout(resolve, 50)),
    ]);
  }

  await expect(findMessageText(page, 'Flood 50')).toBeInViewport({ ratio: 1 });
  expect(await missedRows()).toEqual([]);
  await expect(findNewestButton(page)).toHaveCount(0);
});

test('the keyboard of a phone leaves the newest message in view [CHAT-8]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const socket = await ada.connectTo(classId);
  const his = await ben.connectTo(classId);
  await postAll(socket, classId, 'old', 30);
  const { to: seq } = await his.waitFor('events', ({ to }) => to >= 30);
  his.send({ type: 'read', classId, seq });
  await waitForServer(his);
  for (let n = 1; n <= 3; n++) await socket.post(classId, `new ${n}`);
  const page = await windows.openWindowAs(ben, { viewport: { width: 390, height: 844 } });
  await page.goto(`/home/${classId}`);
  await expect(findMessageText(page, 'new 3')).toBeInViewport({ ratio: 1 });
  await waitUntilListIsStill(page);

  // This setting lets the keyboard make the window smaller, as the test does.
  await expect(page.locator('meta[name=viewport]')).toHaveAttribute('content', /resizes-content/);
  await page.setViewportSize({ width: 390, height: 500 });

  await expect(findMessageText(page, 'new 3')).toBeInViewport({ ratio: 1 });
  await socket.post(classId, 'new 4');
  await expect(findMessageText(page, 'new 4')).toBeInViewport({ ratio: 1 });
  await expect(findNewestButton(page)).toHaveCount(0);
});
