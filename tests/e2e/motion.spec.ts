import type { Page } from '@playwright/test';

import { expect, test } from './fixtures.ts';

/** The longest animation or transition on the page, in milliseconds. */
function measureMaxMotionMs(page: Page): Promise<number> {
  return page.evaluate(() => {
    const parseTimes = (text: string) =>
      text.split(',').map((time) => parseFloat(time) * (time.trim().endsWith('ms') ? 1 : 1000));
    const parts = [...document.querySelectorAll('*')].flatMap((element) =>
      [null, '::before', '::after', '::backdrop'].map((part) => getComputedStyle(element, part)),
    );
    return Math.max(
      ...parts.flatMap(({ animationDuration, transitionDuration }) => [
        ...parseTimes(animationDuration),
        ...parseTimes(transitionDuration),
      ]),
    );
  });
}

test('motion takes at most 199 ms, and no time if the system asks for reduced motion [LAYOUT-6]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  await student.createClass();
  const page = await windows.openWindowAs(student, { reducedMotion: 'no-preference' });
  const expectMotion = async (minMs: number, maxMs: number) => {
    const longestMs = await measureMaxMotionMs(page);
    expect(longestMs).toBeLessThanOrEqual(maxMs);
    expect(longestMs).toBeGreaterThanOrEqual(minMs);
  };
  const expectMotionAsAsked = async () => {
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await expectMotion(50, 199);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await expectMotion(0, 0.01);
  };
  await page.getByRole('button', { name: 'Options for CS 146' }).click();
  await expect(page.getByRole('menu')).toBeVisible();
  await expectMotionAsAsked();
  await page.keyboard.press('Escape');
  for (const [name, heading] of [
    ['Search', 'Search Classes'],
    ['Create', 'Create Backchannel'],
  ] as const) {
    await page.getByRole('link', { name, exact: true }).click();
    await expect(page.getByRole('heading', { name: heading })).toBeVisible();
    await expectMotionAsAsked();
  }
  await page.getByRole('button', { name: 'Create class' }).click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
  await expectMotionAsAsked();
});
