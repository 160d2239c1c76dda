import type { Page } from '@playwright/test';
import axe from 'axe-core';
import { expect } from './fixtures.ts';

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The problems that axe finds on the current page, one short line each. */
export async function violations(page: Page): Promise<string[]> {
  // Wait for fade-ins to end, because axe would judge the colours in between.
  await page.waitForFunction(() =>
    document.getAnimations().every((one) => one.playState !== 'running'),
  );
  await page.evaluate(axe.source);
  const result = await page.evaluate(
    (tags) => (globalThis as unknown as { axe: typeof axe }).axe.run({ runOnly: tags }),
    rules,
  );
  return result.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}

/** Expects no problem from axe on any signed-in screen. The test itself must fill /home. */
export async function checkScreens(page: Page, email: string): Promise<void> {
  for (const [path, content] of [
    ['/create', 'Create Backchannel'],
    ['/search', /^(Join Class|You are in this class\.)$/],
    ['/profile', email],
    ['/privacy', 'Who can see what'],
  ] as const) {
    await page.goto(path);
    await expect(page.getByText(content).first()).toBeVisible();
    expect(await violations(page), path).toEqual([]);
  }
}
