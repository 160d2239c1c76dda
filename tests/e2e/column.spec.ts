// One column in the room, and one set of tools at a time.
import type { Locator, Page } from '@playwright/test';

import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, test, type Windows, type Site } from './fixtures.ts';
import { findComposer, findMessage, findRoom } from './room.ts';

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

test('everything in the room ends at one edge [LAYOUT-22, LAYOUT-28]', async ({
  windows,
  site,
}) => {
  const { classId, page, ben } = await openRoom(windows, site, { width: 480, height: 700 });
  const button = page.getByRole('button', { name: 'You are Anonymous' });
  await expect(button.getByText('Anonymous')).toBeVisible();
  await page.setViewportSize({ width: 479, height: 700 });
  await expect(button.getByText('Anonymous')).toBeHidden();
  await expect(button).toBeVisible();

  const socket = await ben.connect();
  for (const width of [1280, 1920]) {
    await page.setViewportSize({ width, height: 700 });
    await expect(findMessage(page, 'Second')).toBeInViewport();
    const { left, right } = await measureEdges(findComposerBox(page));
    expect((await measureEdges(findRoom(page).getByRole('heading', { level: 2 }))).right).toBe(
      right,
    );
    await findMessage(page, 'Second').hover();
    const toolbar = findMessage(page, 'Second').getByRole('toolbar');
    expect((await measureEdges(toolbar)).right).toBe(right);
    const text = findRoom(page).getByText('Words that wrap.').last();
    expect((await measureEdges(text)).right).toBe(right);
    // The icon of the button has 8 px of free space around it.
    const members = page.getByRole('button', { name: 'People in CS 146' });
    expect((await measureEdges(members)).right).toBe(right + 8);
    expect((await measureEdges(page.getByRole('heading', { level: 1 }))).left).toBe(left);

    const pane = await measureEdges(page.getByRole('main'));
    if (width < 1600) expect(left).toBe(pane.left + 24);
    else expect(Math.abs(left + right - pane.left - pane.right)).toBeLessThanOrEqual(2);

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

test('a notice is between the messages and the composer, inside the window, until a member closes it [LAYOUT-81, LAYOUT-12]', async ({
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
    const name = `${'W'.repeat(26)} ${width}`.slice(0, 30);
    await page.getByRole('button', { name: /^You are/ }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    await page.getByRole('button', { name: 'Save' }).click();
    const notice = page.getByText(`You are now ${name} in CS 146.`).locator('..');
    await expect(notice).toBeVisible();

    await expect(newest).toBeInViewport({ ratio: 1 });
    const { x, y, width: noticeWidth, height } = await measureBox(notice);
    const newestBox = await measureBox(newest);
    expect(newestBox.y + newestBox.height, `${width}`).toBeLessThanOrEqual(y);
    expect(y + height, `${width}`).toBeLessThanOrEqual((await measureBox(findComposer(page))).y);
    expect(x, `${width}`).toBeGreaterThanOrEqual(0);
    expect(x + noticeWidth, `${width}`).toBeLessThanOrEqual(width);
    await expect(findComposer(page)).toBeFocused();
    await notice.getByRole('button', { name: 'Close notice' }).click();
    await expect(notice).toHaveCount(0);
    await expect(findComposer(page)).toBeFocused();
  }
});

test('the focus returns to the composer when a member closes what a pointer opened [LAYOUT-23, LAYOUT-24]', async ({
  windows,
  site,
}) => {
  const { page } = await openRoom(windows, site, { width: 1280, height: 700 });
  await expect(findComposer(page)).toBeFocused();
  const layers: (() => Promise<void>)[] = [
    () => findMessage(page, 'Second').click({ button: 'right' }),
    async () => {
      await findMessage(page, 'Second').hover();
      await findMessage(page, 'Second').getByRole('button', { name: 'More' }).click();
    },
    () => page.getByRole('button', { name: 'People in CS 146' }).click(),
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
