import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

async function logError(page: Page): Promise<void> {
  const consoleEvent = page.waitForEvent('console');
  await page.evaluate(() => console.error('A planted error.'));
  await consoleEvent;
}

// `test.fail` passes if the fixture fails the test.
test.fail('a console error fails the test [ERROR-5]', async ({ windows }) => {
  await logError(await windows.openWindow());
});

test.fail('an uncaught error fails the test [ERROR-5]', async ({ windows }) => {
  const page = await windows.openWindow();
  const errorEvent = page.waitForEvent('pageerror');
  await page.evaluate(() => {
    setTimeout(() => {
      throw new Error('nobody catches me');
    });
  });
  await errorEvent;
});

test('an error that the test expects does not fail it [ERROR-5]', async ({ windows }) => {
  windows.expectConsoleError('A planted error.');
  const page = await windows.openWindow();
  await logError(page);
  expect(page.url()).toBe('about:blank');
});

test('the browser logs no error and no warning about what the server sends [HTTP-33, ERROR-5]', async ({
  windows,
}) => {
  const page = await windows.openWindow();
  const consoleMessages: string[] = [];
  page.on('console', (message) => void consoleMessages.push(message.text()));
  await page.goto('/signin');
  await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible();
  expect(consoleMessages).toEqual([]);
});
