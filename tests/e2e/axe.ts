import type { Page } from '@playwright/test';
import axe from 'axe-core';
import { expect } from './fixtures.ts';
import { waitForAnimations } from './room.ts';

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The problems that axe finds on the current page, one short line each. */
export async function findViolations(page: Page): Promise<string[]> {
  await waitForAnimations(page);
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const result = await page.evaluate(
    (tags) => (globalThis as unknown as { axe: typeof axe }).axe.run({ runOnly: tags }),
    rules,
  );
  return result.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}

/** What scrolls sideways by design: code, formulas, tables and tabs. */
const sidewaysParts = 'pre, span, nav, [role=group]:has(> table)';

/** How many pixels the page, or a part of it that scrolls down, is wider than its place. */
export function measureSidewaysOverflow(page: Page): Promise<number> {
  return page.evaluate((exceptions) => {
    const parts = [...document.body.querySelectorAll(`:not(${exceptions})`)].filter(
      (part) => getComputedStyle(part).overflowY === 'auto',
    );
    const overflows = [document.documentElement, ...parts].map(
      ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth,
    );
    return Math.max(...overflows);
  }, sidewaysParts);
}

const looks = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const;
const narrowest = 320;

/** Expects no problem from axe in both color schemes, and that nothing scrolls sideways at three widths. */
export async function checkLooks(page: Page, state: string): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 720 };
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ ...size, width });
    expect(await findViolations(page), `${state}, ${colorScheme}, ${width} wide`).toEqual([]);
    expect(await measureSidewaysOverflow(page), `${state}, ${width} wide`).toBe(0);
  }
  await page.setViewportSize({ ...size, width: narrowest });
  await expect.poll(() => measureSidewaysOverflow(page), state).toBe(0);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(size);
}
