import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, test, type Windows, type Site } from './fixtures.ts';
import { expectLoaded, findPictures, createPlainPicture, sendPicture } from './picture-files.ts';
import { openMenu, waitForAnimations } from './room.ts';

const findOverlay = (page: Page) => page.getByRole('dialog');
/** The full-size picture. The preview under it has no accessible name. */
const findEnlargedPicture = (page: Page) => findOverlay(page).getByRole('img');
const press = (page: Page, name: string) =>
  findOverlay(page).getByRole('button', { name, exact: true }).click();

/** A room with three pictures, open in a window. */
async function postThreePictures(windows: Windows, site: Site, options = {}) {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  for (const alt of ['the first', 'the second', 'the third']) {
    await sendPicture(ada, classId, await createPlainPicture(1200, 800), {
      text: `about ${alt}`,
      alt,
    });
  }
  const page = await windows.openWindowAs(ben, options);
  await expect(findPictures(page)).toHaveCount(3);
  // While rows change size, a list that follows its newest message can undo the scrolling before a click.
  for (const n of [0, 1, 2]) {
    await expect(findPictures(page).nth(n)).toHaveAttribute('data-picture', 'loaded');
  }
  return { page, classId, second: findPictures(page).nth(1) };
}

async function measureWidth(picture: Locator): Promise<number> {
  await waitForAnimations(picture.page());
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

test('a click enlarges a picture, and Esc or Back closes it and returns the focus [CHAT-6, PIC-39]', async ({
  windows,
  site,
}) => {
  const { page, classId, second } = await postThreePictures(windows, site);
  const open = async () => {
    await second.click();
    await expect(findEnlargedPicture(page)).toHaveAccessibleName('the second');
    await expect(findOverlay(page)).toHaveAccessibleName('Picture 2 of 3');
    await expect(findOverlay(page).getByRole('button', { name: 'Close' })).toBeFocused();
    await expectLoaded(findOverlay(page));
  };
  for (const close of [
    () => page.keyboard.press('Escape'),
    () => page.mouse.click(40, 500),
    () => press(page, 'Close'),
    () => page.goBack(),
  ]) {
    await open();
    await close();
    await expect(findOverlay(page)).toHaveCount(0);
    await expect(page).toHaveURL(`/home/${classId}`);
    await expect(second).toBeFocused();
    await expect(findPictures(page)).toHaveCount(3);
  }
  // The overlay leaves no history entry, so Back goes to the page before the room.
  await page.keyboard.press('Enter');
  await expect(findOverlay(page)).toBeVisible();
  await page.goBack();
  await expect(findOverlay(page)).toHaveCount(0);
  await page.goForward();
  await expect(findEnlargedPicture(page)).toHaveAccessibleName('the second');
  await page.keyboard.press('Escape');
  await expect(second).toBeFocused();
  const box = await findPictures(page).nth(2).boundingBox();
  await expectHitsWhileScrolling(page, { x: box!.x + 100, y: box!.y + 100 });
});

test('a member zooms and moves a picture, and saves it under a neutral file name [PIC-38, PIC-1]', async ({
  windows,
  site,
}) => {
  const { page, second } = await postThreePictures(windows, site);
  await second.click();
  await expectLoaded(findOverlay(page));
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
  await expect(findOverlay(page)).toHaveCount(0);
  await expect(second).toBeFocused();
  await openMenu(page, 'about the first');
  const fromMenu = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Save picture' }).click();
  expect((await fromMenu).suggestedFilename()).toBe('picture.webp');

  await second.click();
  const picture = findEnlargedPicture(page);
  await expectLoaded(findOverlay(page));
  const wholeWidth = await measureWidth(picture);

  await page.keyboard.press('+');
  expect(await measureWidth(picture)).toBeCloseTo(wholeWidth * 1.5, 0);
  await press(page, 'Zoom in');
  expect(await measureWidth(picture)).toBeCloseTo(wholeWidth * 2.25, 0);
  await press(page, 'Zoom out');
  await page.keyboard.press('-');
  expect(await measureWidth(picture)).toBeCloseTo(wholeWidth, 0);

  await page.mouse.move(640, 400);
  await page.mouse.wheel(0, -400);
  await expect.poll(() => measureWidth(picture)).toBeGreaterThan(wholeWidth * 1.5);
  await page.keyboard.press('0');
  expect(await measureWidth(picture)).toBeCloseTo(wholeWidth, 0);

  await page.mouse.dblclick(640, 400);
  await expect.poll(() => measureWidth(picture)).toBeCloseTo(wholeWidth * 2.5, 0);
  const boxBefore = await picture.boundingBox();
  await page.mouse.move(640, 400);
  await page.mouse.down();
  await page.mouse.move(740, 440, { steps: 4 });
  await page.mouse.up();
  await measureWidth(picture);
  const dragged = await picture.boundingBox();
  expect([dragged!.x - boxBefore!.x, dragged!.y - boxBefore!.y]).toEqual([100, 40]);
  await page.keyboard.press('ArrowRight');
  await measureWidth(picture);
  expect((await picture.boundingBox())!.x).toBeCloseTo(dragged!.x - 80, 0);
  await expect(picture).toHaveAccessibleName('the second');
  await page.mouse.dblclick(640, 400);
  await expect.poll(() => measureWidth(picture)).toBeCloseTo(wholeWidth, 0);
  // The next picture is shown whole.
  await page.keyboard.press('+');
  await press(page, 'Next picture');
  await expect(picture).toHaveAccessibleName('the third');
  await expect.poll(() => measureWidth(picture)).toBeCloseTo(wholeWidth, 0);
});

test('a swipe changes the picture on touch screens, a pull closes it and a pinch zooms [PIC-38, PIC-39]', async ({
  windows,
  site,
}) => {
  const { page, second } = await postThreePictures(windows, site, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  });
  await second.tap();
  const picture = findEnlargedPicture(page);
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

  // Two fingers that come together at the whole size are no swipe.
  await put('touchStart', { x: 100, y: 400 }, { x: 300, y: 400 });
  await put('touchMove', { x: 150, y: 400 }, { x: 220, y: 400 });
  await put('touchMove', { x: 170, y: 400 }, { x: 200, y: 400 });
  await put('touchEnd');
  await expect(picture).toHaveAccessibleName('the second');

  const wholeWidth = await measureWidth(picture);
  await put('touchStart', { x: 180, y: 400 }, { x: 210, y: 400 });
  await put('touchMove', { x: 150, y: 400 }, { x: 240, y: 400 });
  await put('touchMove', { x: 135, y: 400 }, { x: 255, y: 400 });
  await put('touchEnd');
  await expect.poll(() => measureWidth(picture)).toBeGreaterThan(wholeWidth * 2.5);
  await expect(picture).toHaveAccessibleName('the second');
  for (let times = 0; times < 4; times++) await press(page, 'Zoom out');
  await expect.poll(() => measureWidth(picture)).toBeCloseTo(wholeWidth, 0);
  await swipe({ x: 195, y: 300 }, 5, 250);
  await expect(findOverlay(page)).toHaveCount(0);
});
