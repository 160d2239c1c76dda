import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, test, type Windows, type Site } from './fixtures.ts';
import { loaded, pictures, plain, sendPicture } from './picture-files.ts';
import { message, openMenu } from './room.ts';

const overlay = (page: Page) => page.getByRole('dialog');
/** The full-size picture. The preview under it has no accessible name. */
const enlarged = (page: Page) => overlay(page).getByRole('img');
const press = (page: Page, name: string) =>
  overlay(page).getByRole('button', { name, exact: true }).click();

/** A room with three pictures, open in a window. */
async function postThreePictures(windows: Windows, site: Site, options = {}) {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  let lastId = '';
  for (const alt of ['the first', 'the second', 'the third']) {
    lastId = await sendPicture(ada, classId, await plain(1200, 800), { text: `about ${alt}`, alt });
  }
  const page = await windows.openWindowAs(ben, options);
  await expect(pictures(page)).toHaveCount(3);
  // While rows change size, a list that follows its newest message can undo the scrolling before a click.
  for (const n of [0, 1, 2]) {
    await expect(pictures(page).nth(n)).toHaveAttribute('data-state', 'loaded');
  }
  return { page, classId, second: pictures(page).nth(1), ada, lastId };
}

async function width(picture: Locator): Promise<number> {
  await picture
    .page()
    .waitForFunction(() => document.getAnimations().every((one) => one.playState !== 'running'));
  return (await picture.boundingBox())?.width ?? 0;
}

/** A click on the picture counts even while the list still scrolls. */
async function expectHitsWhileScrolling(page: Page, point: { x: number; y: number }) {
  await page.mouse.move(point.x, point.y);
  await page.mouse.wheel(0, -20);
  await page.mouse.wheel(0, 20);
  const list = page.getByRole('group', { name: 'Messages' });
  const hits = await list.evaluate(async (scroller, { x, y }) => {
    const popups = new Set<string | null | undefined>();
    for (let frame = 0; frame < 20; frame++) {
      scroller.scrollTop -= 2;
      await new Promise(requestAnimationFrame);
      popups.add(document.elementFromPoint(x, y)?.closest('button')?.ariaHasPopup);
    }
    return [...popups];
  }, point);
  expect(hits).toEqual(['dialog']);
}

test('a click enlarges a picture, and Esc, a click outside, the button and Back close it and return the focus [CHAT-6, PIC-40]', async ({
  windows,
  site,
}) => {
  const { page, classId, second } = await postThreePictures(windows, site);
  const open = async () => {
    await second.click();
    await expect(enlarged(page)).toHaveAccessibleName('the second');
    await expect(overlay(page)).toHaveAccessibleName('Picture 2 of 3');
    await expect(overlay(page).getByRole('button', { name: 'Close' })).toBeFocused();
    await loaded(overlay(page));
  };
  for (const close of [
    () => page.keyboard.press('Escape'),
    () => page.mouse.click(40, 500),
    () => press(page, 'Close'),
    () => page.goBack(),
  ]) {
    await open();
    await close();
    await expect(overlay(page)).toHaveCount(0);
    await expect(page).toHaveURL(`/home/${classId}`);
    await expect(second).toBeFocused();
    await expect(pictures(page)).toHaveCount(3);
  }
  // The overlay leaves no history entry, so Back goes to the page before the room.
  await page.keyboard.press('Enter');
  await expect(overlay(page)).toBeVisible();
  await page.goBack();
  await expect(overlay(page)).toHaveCount(0);
  await page.goForward();
  await expect(enlarged(page)).toHaveAccessibleName('the second');
  await page.keyboard.press('Escape');
  await expect(second).toBeFocused();
  const box = await pictures(page).nth(2).boundingBox();
  await expectHitsWhileScrolling(page, { x: box!.x + 100, y: box!.y + 100 });
});

test('keys and buttons go through the pictures of the room, and the overlay closes when the author deletes the picture [PIC-39]', async ({
  windows,
  site,
}) => {
  const { page, classId, second, ada, lastId } = await postThreePictures(windows, site);
  await second.click();
  await expect(overlay(page).getByText('2 of 3')).toBeVisible();
  await expect(overlay(page).getByText('the second')).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(enlarged(page)).toHaveAccessibleName('the third');
  await page.keyboard.press('ArrowRight');
  await expect(overlay(page).getByText('3 of 3')).toBeVisible();
  await press(page, 'Previous picture');
  await press(page, 'Previous picture');
  await expect(enlarged(page)).toHaveAccessibleName('the first');
  await expect(overlay(page).getByRole('button', { name: 'Previous picture' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  // All pictures together used one history entry.
  await page.goBack();
  await expect(overlay(page)).toHaveCount(0);

  const picture = pictures(page).last();
  await picture.click();
  await expect(enlarged(page)).toHaveAccessibleName('the third');
  const live = await ada.connect();
  live.send({ type: 'delete', rid: 1, classId, messageId: lastId });
  await expect(overlay(page)).toHaveCount(0);
  await expect(page).toHaveURL(`/home/${classId}`);
});

test('a picture is saved under a neutral file name, and wheel, double click, keys and buttons zoom, and dragging and arrows move the picture [PIC-38, PIC-41]', async ({
  windows,
  site,
}) => {
  const { page, second } = await postThreePictures(windows, site);
  await second.click();
  await loaded(overlay(page));
  const fromOverlay = page.waitForEvent('download');
  await press(page, 'Save picture');
  const download = await fromOverlay;
  expect(download.suggestedFilename()).toBe('picture.webp');
  expect(
    readFileSync(await download.path())
      .subarray(8, 12)
      .toString(),
  ).toBe('WEBP');
  await page.keyboard.press('Escape');
  // Closing gives the focus back, which would close a menu that is opened meanwhile.
  await expect(overlay(page)).toHaveCount(0);
  await expect(second).toBeFocused();
  await openMenu(page, 'about the first');
  const fromMenu = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Save picture' }).click();
  expect((await fromMenu).suggestedFilename()).toBe('picture.webp');

  await second.click();
  const picture = enlarged(page);
  await loaded(overlay(page));
  const whole = await width(picture);

  await page.keyboard.press('+');
  expect(await width(picture)).toBeCloseTo(whole * 1.5, 0);
  await press(page, 'Zoom in');
  expect(await width(picture)).toBeCloseTo(whole * 2.25, 0);
  await press(page, 'Zoom out');
  await page.keyboard.press('-');
  expect(await width(picture)).toBeCloseTo(whole, 0);

  await page.mouse.move(640, 400);
  await page.mouse.wheel(0, -400);
  await expect.poll(() => width(picture)).toBeGreaterThan(whole * 1.5);
  await page.keyboard.press('0');
  expect(await width(picture)).toBeCloseTo(whole, 0);

  await page.mouse.dblclick(640, 400);
  await expect.poll(() => width(picture)).toBeCloseTo(whole * 2.5, 0);
  const before = await picture.boundingBox();
  await page.mouse.move(640, 400);
  await page.mouse.down();
  await page.mouse.move(740, 440, { steps: 4 });
  await page.mouse.up();
  await width(picture);
  const dragged = await picture.boundingBox();
  expect([dragged!.x - before!.x, dragged!.y - before!.y]).toEqual([100, 40]);
  await page.keyboard.press('ArrowRight');
  await width(picture);
  expect((await picture.boundingBox())!.x).toBeCloseTo(dragged!.x - 80, 0);
  await expect(picture).toHaveAccessibleName('the second');
  await page.mouse.dblclick(640, 400);
  await expect.poll(() => width(picture)).toBeCloseTo(whole, 0);
  // The next picture is shown whole.
  await page.keyboard.press('+');
  await press(page, 'Next picture');
  await expect(picture).toHaveAccessibleName('the third');
  await expect.poll(() => width(picture)).toBeCloseTo(whole, 0);
});

test('on touch screens a swipe changes the picture, a pull closes it and a pinch zooms [PIC-38, PIC-39]', async ({
  windows,
  site,
}) => {
  const { page, second } = await postThreePictures(windows, site, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  });
  await second.tap();
  const picture = enlarged(page);
  await expect(picture).toHaveAccessibleName('the second');
  const touch = await page.context().newCDPSession(page);
  const put = (
    type: 'touchStart' | 'touchMove' | 'touchEnd',
    ...touchPoints: { x: number; y: number }[]
  ) => touch.send('Input.dispatchTouchEvent', { type, touchPoints });
  const swipe = async (from: { x: number; y: number }, x: number, y: number) => {
    await put('touchStart', from);
    for (const part of [0.3, 0.6, 1]) {
      await put('touchMove', { x: from.x + x * part, y: from.y + y * part });
    }
    await put('touchEnd');
  };
  await swipe({ x: 300, y: 400 }, -200, 10);
  await expect(picture).toHaveAccessibleName('the third');
  await swipe({ x: 100, y: 400 }, 200, 10);
  await expect(picture).toHaveAccessibleName('the second');
  // A shorter movement is not a swipe.
  await swipe({ x: 100, y: 400 }, 30, 0);

  const whole = await width(picture);
  await put('touchStart', { x: 180, y: 400 }, { x: 210, y: 400 });
  await put('touchMove', { x: 150, y: 400 }, { x: 240, y: 400 });
  await put('touchMove', { x: 135, y: 400 }, { x: 255, y: 400 });
  await put('touchEnd');
  await expect.poll(() => width(picture)).toBeGreaterThan(whole * 2.5);
  await expect(picture).toHaveAccessibleName('the second');
  for (let times = 0; times < 4; times++) await press(page, 'Zoom out');
  await expect.poll(() => width(picture)).toBeCloseTo(whole, 0);
  await swipe({ x: 195, y: 300 }, 5, 250);
  await expect(overlay(page)).toHaveCount(0);
});

test('a very long picture is cropped in the room and whole in the overlay [CHAT-11, LAYOUT-7]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await sendPicture(ada, classId, await plain(300, 3000), { text: 'a long one' });
  const page = await windows.openWindowAs(ben);
  const inRoom = await message(page, 'a long one')
    .getByRole('button', { name: 'Picture' })
    .boundingBox();
  expect([inRoom!.width, inRoom!.height]).toEqual([136, 340]);
  await pictures(page).click();
  await loaded(overlay(page));
  const box = await enlarged(page).boundingBox();
  expect(box!.height / box!.width).toBeCloseTo(10, 0);
  expect(box!.y + box!.height).toBeLessThanOrEqual(page.viewportSize()!.height);
});
