// One column in the room, and one set of tools at a time.
import type { Locator, Page } from '@playwright/test';

import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, test, type Windows, type Site } from './fixtures.ts';
import { composer, message, room } from './room.ts';

const toolbars = (page: Page) => room(page).getByRole('toolbar');

/** A student's window on a room with a few messages of someone else. */
async function openRoom(windows: Windows, site: Site, viewport: { width: number; height: number }) {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const socket = await ada.connect();
  for (const text of ['First', 'Second', 'Third', 'Words that wrap. '.repeat(20).trim()]) {
    await socket.post(classId, text);
  }
  const page = await windows.openWindowAs(ben, { viewport });
  await expect(message(page, 'Third')).toBeVisible();
  return { ben, classId, page };
}

async function edges(element: Locator): Promise<{ left: number; right: number }> {
  const { x, width } = (await element.boundingBox())!;
  return { left: Math.round(x), right: Math.round(x + width) };
}

/** The form has padding around the box of the composer. */
const composerBox = (page: Page) => page.locator('form > div').filter({ has: composer(page) });

test('everything in the room ends at one edge, and below 480 px the header shows the persona as its icon [LAYOUT-22, LAYOUT-28]', async ({
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
    await expect(message(page, 'Second')).toBeInViewport();
    const { left, right } = await edges(composerBox(page));
    expect((await edges(room(page).getByRole('heading', { level: 2 }))).right).toBe(right);
    await message(page, 'Second').hover();
    const toolbar = message(page, 'Second').getByRole('toolbar');
    expect((await edges(toolbar)).right).toBe(right);
    const text = room(page).getByText('Words that wrap.').last();
    expect((await edges(text)).right).toBe(right);
    // The icon of the button has 8 px of free space around it.
    const members = page.getByRole('button', { name: 'People in CS 146' });
    expect((await edges(members)).right).toBe(right + 8);
    expect((await edges(page.getByRole('heading', { level: 1 }))).left).toBe(left);

    const pane = await edges(page.getByRole('main'));
    if (width < 1600) expect(left).toBe(pane.left + 24);
    else expect(Math.abs(left + right - pane.left - pane.right)).toBeLessThanOrEqual(2);

    await page.getByRole('button', { name: /^You are/ }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(`Heron ${width}`);
    await page.getByRole('button', { name: 'Save' }).click();
    const notice = page.getByText(`You are now Heron ${width} in CS 146.`);
    const shown = await edges(notice);
    expect(Math.abs(shown.left + shown.right - left - right)).toBeLessThanOrEqual(2);
  }
  for (let n = 0; n < 40; n++) await socket.post(classId, `Line ${n}`);
  await expect(message(page, 'Line 39')).toBeVisible();
  await message(page, 'Line 39').hover();
  await page.mouse.wheel(0, -400);
  for (const width of [1280, 1920]) {
    await page.setViewportSize({ width, height: 700 });
    const jump = await edges(page.getByRole('button', { name: 'Go to the newest message' }));
    const { left, right } = await edges(composerBox(page));
    expect(Math.abs(jump.left + jump.right - left - right)).toBeLessThanOrEqual(2);
  }
});

test('closing what a pointer opened returns the focus to the composer, and one message at a time shows its tools [LAYOUT-23, LAYOUT-24]', async ({
  windows,
  site,
}) => {
  const { page } = await openRoom(windows, site, { width: 1280, height: 700 });
  await expect(composer(page)).toBeFocused();
  const layers: (() => Promise<void>)[] = [
    () => message(page, 'Second').click({ button: 'right' }),
    async () => {
      await message(page, 'Second').hover();
      await message(page, 'Second').getByRole('button', { name: 'More' }).click();
    },
    () => page.getByRole('button', { name: 'People in CS 146' }).click(),
    () => page.getByRole('button', { name: /^You are/ }).click(),
    () => page.getByRole('button', { name: 'Options for CS 146' }).click(),
  ];
  for (const open of layers) {
    await open();
    await expect(page.getByRole('menu').or(page.getByRole('dialog'))).toBeVisible();
    await expect(composer(page)).not.toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('menu').or(page.getByRole('dialog'))).toHaveCount(0);
    await expect(composer(page)).toBeFocused();
  }
  const shown = async () => {
    const all = await toolbars(page).evaluateAll((bars) =>
      bars.map((bar) => [
        bar.closest('article')?.textContent?.includes('Second') ? 'Second' : 'another',
        getComputedStyle(bar.parentElement!).opacity,
      ]),
    );
    return all.filter(([, opacity]) => opacity === '1').map(([name]) => name);
  };
  await message(page, 'Third').hover();
  await expect.poll(shown).toEqual(['another']);
  await room(page).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await expect(message(page, 'Second')).toBeFocused();
  await expect.poll(shown).toEqual(['Second']);
  const { x, y } = (await message(page, 'Third').boundingBox())!;
  await page.mouse.move(x + 40, y + 8);
  await expect.poll(shown).toEqual(['another']);
  await message(page, 'Second').getByRole('button', { name: 'More' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menu')).toBeVisible();
  await expect.poll(shown).not.toContain('Second');
});
