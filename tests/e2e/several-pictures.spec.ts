// Messages with several pictures: staging, sending, the grid and the overlay.
import type { Locator, Page } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, test } from './fixtures.ts';
import {
  choose,
  expectLoaded,
  createPhoto,
  findPictures,
  createPlainPicture,
  sendPictures,
  findStagedPictures,
} from './picture-files.ts';
import { meet, findRoom } from './room.ts';

const findTiles = (page: Page) => findStagedPictures(page).getByRole('listitem');
const findSelectButton = (page: Page, n: number) =>
  findStagedPictures(page).getByRole('button', { name: new RegExp(`^Select picture ${n}`) });
const findDescription = (page: Page, n: number) =>
  findStagedPictures(page).getByLabel(`Description of picture ${n}`);
const createFiles = (...sizes: number[]) =>
  Promise.all(sizes.map((width) => createPlainPicture(width, 100)));
/** The widths of the staged pictures, in their order. */
async function measureWidths(page: Page): Promise<number[]> {
  return findTiles(page)
    .locator('img')
    .evaluateAll((all) => all.map((image) => (image as HTMLImageElement).naturalWidth));
}

async function getBox(locator: Locator) {
  const box = await locator.boundingBox();
  if (!box) throw new Error('It is not visible.');
  return box;
}

test('the pictures of a message arrive in the order in which a member put them [CHAT-14, PIC-64, PIC-73, PIC-69, PIC-72, PIC-78]', async ({
  windows,
  site,
}) => {
  const { ada, classId, adaPage, benPage } = await meet(windows, site);
  await choose(adaPage, ...(await createFiles(100, 200, 300, 400)));
  await expect.poll(() => measureWidths(adaPage)).toEqual([100, 200, 300, 400]);
  await findSelectButton(adaPage, 3).click();
  await findDescription(adaPage, 3).fill('The third');
  const leftButton = findStagedPictures(adaPage).getByRole('button', { name: 'Move picture left' });
  await leftButton.press('Enter');
  await leftButton.press('Enter');
  await expect.poll(() => measureWidths(adaPage)).toEqual([300, 100, 200, 400]);
  await expect(leftButton).toBeFocused();
  await expect(leftButton).toHaveAttribute('aria-disabled', 'true');
  await expect(findStagedPictures(adaPage).getByRole('status')).toHaveText('Picture 1 of 4');
  await expect(findDescription(adaPage, 1)).toHaveValue('The third');

  const from = await getBox(findTiles(adaPage).nth(3));
  const to = await getBox(findTiles(adaPage).nth(1));
  await adaPage.mouse.move(from.x + 40, from.y + 40);
  await adaPage.mouse.down();
  await adaPage.mouse.move(to.x + 10, to.y + 40, { steps: 6 });
  await adaPage.mouse.up();
  await expect.poll(() => measureWidths(adaPage)).toEqual([300, 400, 100, 200]);
  await findStagedPictures(adaPage).getByRole('button', { name: 'Remove picture 3' }).click();
  await expect.poll(() => measureWidths(adaPage)).toEqual([300, 400, 200]);
  await adaPage.getByPlaceholder('Type a message...').press('Enter');
  await expect(findStagedPictures(adaPage)).toHaveCount(0);

  await expect(benPage.getByRole('log')).toContainText('Anonymous: 3 pictures: The third');
  for (const page of [adaPage, benPage]) {
    await expect(findRoom(page).getByRole('group', { name: '3 pictures' })).toBeVisible();
    await expect(findPictures(page)).toHaveCount(3);
    await expect(findPictures(page).first()).toHaveAccessibleName('Picture 1 of 3: The third');
    for (const picture of await findPictures(page).all()) await expectLoaded(picture);
  }
  const { messages } = await ada.call('listMessages', { params: { classId }, query: {} });
  const images = messages[0]!.images.map(({ width, alt }) => [width, alt]);
  expect(images).toEqual([
    [300, 'The third'],
    [400, ''],
    [200, ''],
  ]);

  await findRoom(benPage).getByRole('article').hover();
  await benPage.getByRole('button', { name: 'More' }).click();
  await expect(benPage.getByRole('menuitem', { name: 'Save 3 pictures' })).toBeVisible();
  await benPage.getByRole('menuitem', { name: 'Reply' }).click();
  await expect(benPage.getByRole('group', { name: 'Your reply' })).toContainText('3 pictures');
  await findRoom(adaPage).getByRole('article').hover();
  await adaPage.getByRole('button', { name: 'More' }).click();
  await adaPage.getByRole('menuitem', { name: 'Delete' }).click();
  await adaPage.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(findPictures(benPage)).toHaveCount(0);
});

test('nothing moves while the pictures of a grid load [PIC-76, CHAT-9]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await sendPictures(
    ada,
    classId,
    await createFiles(100, 200, 300, 400, 500, 600, 700, 800, 900, 1000),
  );
  const page = await windows.openWindowAs(ben);
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>();
  await page.route('**/*.webp', async (route) => {
    await gate;
    await route.continue().catch(() => undefined);
  });
  await page.goto(`/home/${classId}`);
  const grid = findRoom(page).getByRole('group', { name: '10 pictures' });
  await expect(grid).toBeVisible();
  let boxBefore = await getBox(grid);
  // What is around the list may still find its place.
  await expect(async () => {
    const box = boxBefore;
    boxBefore = await getBox(grid);
    expect(boxBefore).toEqual(box);
  }).toPass({ intervals: [500] });
  letGo();
  for (const picture of await grid.getByRole('button').all()) await expectLoaded(picture);
  expect(await getBox(grid)).toEqual(boxBefore);

  for (const width of [320, 390, 768, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    // At one moment: the list may still move to its place after the change.
    const boxes = await grid.getByRole('button').evaluateAll((buttons) =>
      buttons.map((picture) => {
        const { top, height } = picture.getBoundingClientRect();
        return { top: Math.round(top), height };
      }),
    );
    const rows = Map.groupBy(boxes, ({ top }) => top);
    expect(Math.min(...boxes.map(({ height }) => height))).toBeGreaterThan(40);
    const perRow = [...rows.values()].map(({ length }) => length);
    expect(perRow, `at ${width} px`).toEqual([2, 2, 3, 3]);
  }
});

test('keys and buttons lead from an enlarged picture to the others, and a deleted picture closes [PIC-39]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await sendPictures(ada, classId, await createFiles(100, 200, 300), {
    alts: ['One', 'Two', 'Three'],
  });
  const messageId = await sendPictures(ada, classId, [await createPhoto()], { text: 'later' });
  const page = await windows.openWindowAs(ben);
  await findPictures(page).nth(1).click();
  const overlay = page.getByRole('dialog');
  await expect(overlay).toHaveAccessibleName('Picture 2 of 4');
  await expect(overlay).toContainText('picture 2 of 3 in this message');
  await expect(overlay.getByText('Two', { exact: true })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(overlay).toContainText('picture 3 of 3 in this message');
  await expect(overlay.getByText('Three', { exact: true })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(overlay).toHaveAccessibleName('Picture 4 of 4');
  await expect(overlay).not.toContainText('in this message');
  const previous = overlay.getByRole('button', { name: 'Previous picture' });
  for (let times = 0; times < 3; times += 1) await previous.click();
  await expect(overlay.getByText('One', { exact: true })).toBeVisible();
  await expect(previous).toHaveAttribute('aria-disabled', 'true');
  // All pictures together used one history entry.
  await page.goBack();
  await expect(overlay).toHaveCount(0);
  await expect(findPictures(page).nth(1)).toBeFocused();

  await findPictures(page).last().click();
  await expect(overlay).toHaveAccessibleName('Picture 4 of 4');
  await (await ada.connect()).request({ type: 'delete', classId, messageId });
  await expect(overlay).toHaveCount(0);
  await expect(page).toHaveURL(`/home/${classId}`);
});
