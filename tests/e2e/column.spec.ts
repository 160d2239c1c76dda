// One column in the room, and one set of tools at a time.
import type { Locator, Page } from '@playwright/test';

import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, test, type Windows, type Site } from './fixtures.ts';
import {
  findComposer,
  findMessage,
  findRoom,
  openMenu,
  waitForAnimations,
  waitUntilListIsStill,
} from './room.ts';

const findToolbars = (page: Page) => findRoom(page).getByRole('toolbar');

/** A student's window on a room with a few messages of someone else. */
async function openRoom(windows: Windows, site: Site, viewport: { width: number; height: number }) {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const socket = await ada.connect();
  for (const text of ['First', 'Second', 'Third', 'Words that wrap. '.repeat(20).trim()]) {
    await socket.post(classId, text);
  }
  const page = await windows.openWindowAs(ben, { viewport });
  await expect(findMessage(page, 'Third')).toBeVisible();
  return { ben, classId, page };
}

async function measureEdges(element: Locator): Promise<{ left: number; right: number }> {
  const { x, width } = (await element.boundingBox())!;
  return { left: Math.round(x), right: Math.round(x + width) };
}

/** The form has padding around the box of the composer. */
const findComposerBox = (page: Page) =>
  page.locator('form > div').filter({ has: findComposer(page) });

test('everything in the room ends at one edge, in the middle of its pane [LAYOUT-80, LAYOUT-28]', async ({
  windows,
  site,
}) => {
  const { classId, page, ben } = await openRoom(windows, site, { width: 480, height: 700 });
  const button = page.getByRole('button', { name: /^You are .*, Anonymous/ });
  await expect(button.locator('bdi')).toBeVisible();
  await page.setViewportSize({ width: 479, height: 700 });
  await expect(button.locator('bdi')).toBeHidden();
  await expect(button).toBeVisible();

  const socket = await ben.connect();
  for (const width of [1280, 1500, 1920]) {
    await page.setViewportSize({ width, height: 700 });
    await expect(findMessage(page, 'Second')).toBeInViewport();
    const { left, right } = await measureEdges(findComposerBox(page));
    expect((await measureEdges(findRoom(page).getByRole('heading', { level: 2 }))).right).toBe(
      right,
    );
    await findMessage(page, 'Second').hover();
    const toolbar = findMessage(page, 'Second').getByRole('toolbar');
    expect((await measureEdges(toolbar)).right).toBe(right);
    // The icon of the button has 8 px of free space around it.
    const search = page.getByRole('button', { name: 'Search messages' });
    expect((await measureEdges(search)).right).toBe(right + 8);
    expect((await measureEdges(page.getByRole('heading', { level: 1 }))).left).toBe(left);

    const pane = await measureEdges(page.getByRole('main'));
    expect(Math.abs(left + right - pane.left - pane.right)).toBeLessThanOrEqual(2);

    await page.getByRole('button', { name: /^You are/ }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(`Heron ${width}`);
    await page.getByRole('button', { name: 'Save' }).click();
    const notice = page.getByText(`You are now Heron ${width} in CS 146.`).locator('..');
    const noticeEdges = await measureEdges(notice);
    expect(Math.abs(noticeEdges.left + noticeEdges.right - left - right)).toBeLessThanOrEqual(2);
  }
  for (let n = 0; n < 40; n++) await socket.post(classId, `Line ${n}`);
  await expect(findMessage(page, 'Line 39')).toBeVisible();
  await findMessage(page, 'Line 39').hover();
  await page.mouse.wheel(0, -400);
  for (const width of [1280, 1920]) {
    await page.setViewportSize({ width, height: 700 });
    const jump = await measureEdges(page.getByRole('button', { name: 'Go to the newest message' }));
    const { left, right } = await measureEdges(findComposerBox(page));
    expect(Math.abs(jump.left + jump.right - left - right)).toBeLessThanOrEqual(2);
  }
});

test('a notice is between the messages and the composer, inside the window, until a member closes it, and moves nothing [LAYOUT-101, LAYOUT-104, LAYOUT-7]', async ({
  windows,
  site,
}) => {
  const { ben, classId, page } = await openRoom(windows, site, { width: 1280, height: 700 });
  const socket = await ben.connect();
  for (let n = 1; n <= 30; n += 1) await socket.post(classId, `Line ${n}`);
  const newest = findMessage(page, 'Line 30');
  await expect(newest).toBeInViewport();
  const measureBox = async (element: Locator) => (await element.boundingBox())!;
  for (const [width, textSize] of [
    [1280, '100%'],
    [390, '100%'],
    [320, '200%'],
  ] as const) {
    await page.setViewportSize({ width, height: 700 });
    await page.evaluate((size) => {
      document.documentElement.style.fontSize = size;
    }, textSize);
    await findComposer(page).focus();
    await waitUntilListIsStill(page);
    const { y: newestTop } = await measureBox(newest);
    const name = `${'W'.repeat(26)} ${width}`.slice(0, 30);
    await page.getByRole('button', { name: /^You are/ }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    await page.getByRole('button', { name: 'Save' }).click();
    const notice = page.getByText(`You are now ${name} in CS 146.`).locator('..');
    await expect(notice).toBeVisible();
    await waitForAnimations(page);

    const { x, y, width: noticeWidth, height } = await measureBox(notice);
    const newestBox = await measureBox(newest);
    expect(newestBox.y, `${width}`).toBe(newestTop);
    // The name is too long for one line of a phone.
    if (width === 1280) expect(newestBox.y + newestBox.height).toBeLessThanOrEqual(y);
    expect(y + height, `${width}`).toBeLessThanOrEqual((await measureBox(findComposer(page))).y);
    expect(x, `${width}`).toBeGreaterThanOrEqual(0);
    expect(x + noticeWidth, `${width}`).toBeLessThanOrEqual(width);
    await expect(findComposer(page)).toBeFocused();
    await notice.getByRole('button', { name: 'Close notice' }).click();
    await expect(notice).toHaveCount(0);
    expect((await measureBox(newest)).y, `${width}`).toBe(newestTop);
    await expect(findComposer(page)).toBeFocused();
  }
});

test('a notice of one line moves no message, neither when it comes nor when it goes [LAYOUT-104]', async ({
  windows,
  site,
}) => {
  const { ben, classId, page } = await openRoom(windows, site, { width: 1280, height: 700 });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const socket = await ben.connect();
  for (let n = 1; n <= 40; n += 1) await socket.post(classId, `Line ${n}`);
  const notice = page.getByText('Copied.').locator('..');
  const measureBottom = async (element: Locator) => {
    const { y, height } = (await element.boundingBox())!;
    return y + height;
  };
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 700 });
    await expect(findMessage(page, 'Line 40')).toBeInViewport({ ratio: 1 });
    for (const { text, isScrolledUp } of [
      { text: 'Line 40', isScrolledUp: false },
      { text: 'Line 30', isScrolledUp: true },
    ]) {
      const message = findMessage(page, text);
      if (isScrolledUp) {
        await message.scrollIntoViewIfNeeded();
        await findRoom(page).hover();
        await page.mouse.wheel(0, -200);
      }
      // What no notice covers.
      const area = isScrolledUp ? findRoom(page) : message;
      await waitUntilListIsStill(page);
      const bottom = await measureBottom(message);

      await openMenu(page, text);
      await page.getByRole('menuitem', { name: 'Copy text' }).click();

      await expect(notice).toBeVisible();
      await waitForAnimations(page);
      expect(await measureBottom(message), `${text}, ${width}`).toBe(bottom);
      const { y, height } = (await notice.boundingBox())!;
      expect(await measureBottom(area), `${text}, ${width}`).toBeLessThanOrEqual(y);
      expect(y + height).toBeLessThanOrEqual((await findComposerBox(page).boundingBox())!.y);
      await notice.getByRole('button', { name: 'Close notice' }).click();
      await expect(notice).toHaveCount(0);
      expect(await measureBottom(message), `${text}, ${width}`).toBe(bottom);
    }
    await page.getByRole('button', { name: 'Go to the newest message' }).click();
  }
});

test('the focus returns to the composer when a member closes what a pointer opened [LAYOUT-23, LAYOUT-13]', async ({
  windows,
  site,
}) => {
  const { page } = await openRoom(windows, site, { width: 1280, height: 700 });
  await expect(findComposer(page)).toBeFocused();
  const layers: (() => Promise<void>)[] = [
    () => findMessage(page, 'Second').click({ button: 'right' }),
    async () => {
      // The pointer is where it pressed for the first menu, and the tools appear when it moves.
      await page.mouse.move(1, 1);
      await findMessage(page, 'Second').hover();
      await findMessage(page, 'Second').getByRole('button', { name: 'More' }).click();
    },
    () => page.getByRole('button', { name: /^You are/ }).click(),
    () => page.getByRole('button', { name: 'Options for CS 146' }).click(),
  ];
  for (const open of layers) {
    await open();
    await expect(page.getByRole('menu').or(page.getByRole('dialog'))).toBeVisible();
    await expect(findComposer(page)).not.toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('menu').or(page.getByRole('dialog'))).toHaveCount(0);
    await expect(findComposer(page)).toBeFocused();
  }
  const listToolbarMessages = async () => {
    const all = await findToolbars(page).evaluateAll((bars) =>
      bars.map((bar) => [
        bar.closest('article')?.textContent?.includes('Second') ? 'Second' : 'another',
        getComputedStyle(bar.parentElement!).opacity,
      ]),
    );
    return all.filter(([, opacity]) => opacity === '1').map(([name]) => name);
  };
  await findMessage(page, 'Third').hover();
  await expect.poll(listToolbarMessages).toEqual(['another']);
  await page.keyboard.press('Escape');
  await expect.poll(listToolbarMessages).toEqual([]);
  await findRoom(page).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await expect(findMessage(page, 'Second')).toBeFocused();
  await expect.poll(listToolbarMessages).toEqual(['Second']);
  const { x, y } = (await findMessage(page, 'Third').boundingBox())!;
  await page.mouse.move(x + 40, y + 8);
  await expect.poll(listToolbarMessages).toEqual(['another']);
  await findMessage(page, 'Second').getByRole('button', { name: 'More' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menu')).toBeVisible();
  await expect.poll(listToolbarMessages).not.toContain('Second');
});

test('the tools of a message are over its upper corner at any width, density and text size [LAYOUT-23]', async ({
  windows,
  site,
}) => {
  const { page, classId, ben } = await openRoom(windows, site, { width: 1280, height: 700 });
  const socket = await ben.connect();
  const lines = 'A line that fills the whole column and goes on. '.repeat(6);
  for (let n = 1; n <= 6; n++) await socket.post(classId, `${n}: ${lines}`);
  await expect(findMessage(page, '6: A line')).toBeVisible();
  for (const [width, density, textSize] of [
    [1280, 'comfortable', 'normal'],
    [1280, 'compact', 'largest'],
    [1024, 'comfortable', 'largest'],
    [768, 'compact', 'normal'],
    [390, 'comfortable', 'normal'],
    [320, 'comfortable', 'largest'],
  ] as const) {
    await page.setViewportSize({ width, height: 700 });
    await page.evaluate((settings) => Object.assign(document.documentElement.dataset, settings), {
      density,
      textSize,
    });
    for (const n of [4, 5, 6]) {
      await waitUntilListIsStill(page);
      // A pointer that rests shows no tools (LAYOUT-23).
      await page.mouse.move(1, 1);
      const message = findMessage(page, `${n}: A line`);
      await message.hover({ position: { x: 60, y: 12 } });
      await expect(message.getByRole('button', { name: 'More' })).toBeInViewport();
      const tools = (await message.getByRole('toolbar').boundingBox())!;
      const box = (await message.boundingBox())!;
      const label = `${width} ${density}`;
      expect(tools.x, label).toBeGreaterThanOrEqual(box.x);
      expect(tools.x + tools.width, label).toBeLessThanOrEqual(box.x + box.width);
      // Of a message that begins above the list, they are at the start of the list.
      const start = Math.max(box.y, (await findRoom(page).boundingBox())!.y + 20);
      expect(tools.y + tools.height - start, label).toBeLessThanOrEqual(32);
    }
  }
});

test('messages that scroll under a resting pointer show no tools until the pointer moves, and then all of them [LAYOUT-23]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const socket = await ada.connect();
  for (let n = 1; n <= 40; n++) await socket.post(classId, `Line ${n}`);
  const page = await windows.openWindowAs(ben);
  await expect(findMessage(page, 'Line 40')).toBeVisible();
  await findMessage(page, 'Line 36').hover();
  /** The numbers of tools that messages have shown since the last call. */
  const takeCounts = () =>
    findRoom(page).evaluate((list) => (list.dataset['counts'] ?? '').split(' ').filter(Boolean));
  await findRoom(page).evaluate((list) => {
    const counts = new Set<number>();
    const watch = () => {
      for (const bar of list.querySelectorAll('[role=toolbar]')) {
        if (getComputedStyle(bar.parentElement!).opacity === '0') continue;
        counts.add(bar.querySelectorAll('button').length);
      }
      list.dataset['counts'] = [...counts].join(' ');
      requestAnimationFrame(watch);
    };
    watch();
  });

  await page.mouse.wheel(0, -300);
  await waitUntilListIsStill(page);
  const visibleCount = await findToolbars(page).evaluateAll(
    (bars) => bars.filter((bar) => getComputedStyle(bar.parentElement!).opacity === '1').length,
  );
  expect(visibleCount).toBe(0);

  const { x, y } = (await findMessage(page, 'Line 30').boundingBox())!;
  await page.mouse.move(x + 80, y + 8);
  await expect(
    findMessage(page, 'Line 30').getByRole('button', { name: 'Thumbs up', exact: true }),
  ).toBeInViewport();
  expect(await takeCounts()).toEqual(['6']);
});

test('of a message that is higher than the window, a jump, the arrow keys and an edit show the start, and its tools stay in view [LAYOUT-93]', async ({
  windows,
  site,
}) => {
  const { ben, classId } = await createClassWithTwoMembers(site);
  const socket = await ben.connectTo(classId);
  const lines = Array.from({ length: 70 }, (_, n) => `row ${n + 1}`).join('\n');
  for (let n = 1; n <= 8; n++) await socket.post(classId, `Before ${n}`);
  const { id } = await socket.post(classId, `My notes\n${lines}`);
  for (let n = 1; n <= 30; n++) await socket.post(classId, `After ${n}`);
  const page = await windows.openWindowAs(ben);
  await expect(findMessage(page, 'After 30')).toBeInViewport();
  const notes = findRoom(page).getByRole('article').filter({ hasText: 'My notes' });
  /** The distance of the element's start from the start of the list, in which it is visible. */
  const measureTop = async (element: Locator) =>
    (await element.boundingBox())!.y - (await findRoom(page).boundingBox())!.y;
  const expectStart = async (element: Locator) => {
    await expect.poll(() => measureTop(element)).toBeGreaterThanOrEqual(0);
    expect(await measureTop(element)).toBeLessThan(120);
  };

  await page.goto(`/home/${classId}?message=${id}`);
  await expect(notes).toBeFocused();
  await expectStart(notes);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowDown');
  await expect(notes).toBeFocused();
  await expectStart(notes);

  await findRoom(page).hover();
  await page.mouse.wheel(0, 500);
  await waitUntilListIsStill(page);
  await notes.hover({ position: { x: 80, y: 700 } });
  const edit = notes.getByRole('button', { name: 'Edit' });
  await expect(edit).toBeInViewport({ ratio: 1 });
  await edit.click();
  const editor = page.getByRole('textbox', { name: 'Edit your message' });
  await expect(editor).toBeFocused();
  await waitUntilListIsStill(page);
  await expectStart(page.locator('form').filter({ has: editor }));
  await expect(page.getByRole('button', { name: 'Save' })).toBeInViewport({ ratio: 1 });
});
