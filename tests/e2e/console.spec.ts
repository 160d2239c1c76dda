import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

async function logError(page: Page): Promise<void> {
  const logged = page.waitForEvent('console');
  await page.evaluate(() => console.error('Something that no test expects.'));
  await logged;
}

test.fail('a console error fails the test [ERROR-5]', async ({ people }) => {
  await logError(await people.newWindow());
});

test.fail('an uncaught error fails the test [ERROR-5]', async ({ people }) => {
  const page = await people.newWindow();
  const thrown = page.waitForEvent('pageerror');
  await page.evaluate(() => {
    setTimeout(() => {
      throw new Error('nobody catches me');
    });
  });
  await thrown;
});

test('an error that the test expects does not fail it [ERROR-5]', async ({ people }) => {
  people.expectConsoleError('Something that no test expects.');
  const page = await people.newWindow();
  await logError(page);
  expect(page.url()).toBe('about:blank');
});

test('the browser logs no error and no warning about what the server sends [HTTP-33, ERROR-5]', async ({
  people,
}) => {
  const page = await people.newWindow();
  const said: string[] = [];
  page.on('console', (message) => void said.push(message.text()));
  await page.goto('/signin');
  await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible();
  expect(said).toEqual([]);
});
