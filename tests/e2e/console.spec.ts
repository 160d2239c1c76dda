import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

async function logError(page: Page): Promise<void> {
  const logged = page.waitForEvent('console');
  await page.evaluate(() => console.error('Something that no test expects.'));
  await logged;
}

test.fail('an error in the console fails the test [ERROR-5]', async ({ people }) => {
  await logError(await people.newWindow());
});

test.fail('an error that nothing catches fails it too [ERROR-5]', async ({ people }) => {
  const page = await people.newWindow();
  const thrown = page.waitForEvent('pageerror');
  await page.evaluate(() => {
    setTimeout(() => {
      throw new Error('nobody catches me');
    });
  });
  await thrown;
});

test('an error that the test has named does not [ERROR-5]', async ({ people }) => {
  people.expectConsoleError('Something that no test expects.');
  const page = await people.newWindow();
  await logError(page);
  expect(page.url()).toBe('about:blank');
});
