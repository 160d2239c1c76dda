// Messages that are slow to show, within all limits.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { openClassAlone, findMessage, findRoom, waitUntilListIsStill } from './room.ts';

const countMath = (page: Page) => findRoom(page).locator('math').count();

/** The rows of the list that are farther from the window than this have formulas. */
function countFarMath(page: Page): Promise<number> {
  return findRoom(page).evaluate((list) => {
    const farPx = 600;
    const { top, bottom } = list.getBoundingClientRect();
    return [...list.querySelectorAll('math')].filter((math) => {
      const box = math.getBoundingClientRect();
      return box.bottom < top - farPx || box.top > bottom + farPx;
    }).length;
  });
}

test('formulas are drawn only near the window, and rows keep their heights [MARKUP-24]', async ({
  windows,
  site,
}) => {
  const { student, classId, page } = await openClassAlone(windows, site);
  const socket = await student.connectTo(classId);
  for (let n = 0; n < 40; n++) {
    await socket.post(
      classId,
      `Row ${n}\n\n$$\\frac{${n}}{\\frac{a}{b}}$$\n\n${'line\n'.repeat(6)}`,
    );
  }
  await page.reload();
  await expect(findMessage(page, 'Row 39').locator('math')).toBeVisible();
  expect(await countFarMath(page)).toBe(0);
  const measureRowHeight = async () => (await findMessage(page, 'Row 30').boundingBox())?.height;
  await findMessage(page, 'Row 30').scrollIntoViewIfNeeded();
  await expect(findMessage(page, 'Row 30').locator('math')).toBeVisible();
  await waitUntilListIsStill(page);
  const height = await measureRowHeight();

  await findRoom(page).hover();
  for (let n = 0; n < 20; n++) await page.mouse.wheel(0, 300);
  await expect(findMessage(page, 'Row 39')).toBeInViewport();
  await waitUntilListIsStill(page);

  await expect(findMessage(page, 'Row 30')).toBeAttached();
  expect(await countMath(page)).toBeGreaterThan(0);
  expect(await countFarMath(page)).toBeLessThanOrEqual(12);
  expect(await measureRowHeight()).toBe(height);
});
