import type { Page } from '@playwright/test';

import { expect, test } from './fixtures.ts';

/** The longest animation or transition on the page, in milliseconds. */
function maxMotionMs(page: Page): Promise<number> {
  return page.evaluate(() => {
    const times = (text: string) =>
      text.split(',').map((one) => parseFloat(one) * (one.trim().endsWith('ms') ? 1 : 1000));
    const parts = [...document.querySelectorAll('*')].flatMap((element) =>
      [null, '::before', '::after', '::backdrop'].map((part) => getComputedStyle(element, part)),
    );
    return Math.max(
      ...parts.flatMap(({ animationDuration, transitionDuration }) => [
        ...times(animationDuration),
        ...times(transitionDuration),
      ]),
    );
  });
}

for (const [reducedMotion, least, most] of [
  ['no-preference', 50, 199],
  ['reduce', 0, 0.01],
] as const) {
  test(`if the system setting is ${reducedMotion}, motion takes at most ${most} ms [LAYOUT-6]`, async ({
    people,
    site,
  }) => {
    const student = await site.newStudent();
    await student.createClass();
    const page = await people.newWindowOf(student, { reducedMotion });
    await page.getByRole('button', { name: 'Options for CS 146' }).click();
    await expect(page.getByRole('menu')).toBeVisible();
    const found = [await maxMotionMs(page)];
    await page.keyboard.press('Escape');
    for (const [name, heading] of [
      ['Search', 'Search Classes'],
      ['Create', 'Create Backchannel'],
    ] as const) {
      await page.getByRole('link', { name, exact: true }).click();
      await expect(page.getByRole('heading', { name: heading })).toBeVisible();
      found.push(await maxMotionMs(page));
    }
    await page.getByRole('button', { name: 'Create class' }).click();
    await expect(page.getByRole('alertdialog')).toBeVisible();
    found.push(await maxMotionMs(page));
    expect(Math.max(...found)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...found)).toBeLessThanOrEqual(most);
  });
}
