import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { aloneInAClass } from './room.ts';

async function share(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Options for CS 146' }).click();
  await page.getByRole('menuitem', { name: 'Share Class' }).click();
}

test('if the system has a share sheet, sharing opens it and shows nothing more [SHARE-1, SHARE-2]', async ({
  people,
  site,
}) => {
  const { classId, page } = await aloneInAClass(people, site);
  const shared: unknown[] = [];
  await page.exposeFunction('noteShared', (data: unknown) => void shared.push(data));
  await page.addInitScript(() => {
    const { noteShared } = globalThis as unknown as { noteShared(data: unknown): Promise<void> };
    Object.defineProperty(navigator, 'share', { value: noteShared });
  });
  await page.reload();
  await share(page);
  await expect
    .poll(() => shared)
    .toEqual([{ title: 'CS 146', url: `${site.origin}/home/${classId}` }]);
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
});

test('without a clipboard the app shows the link to copy by hand [SHARE-4]', async ({
  people,
  site,
}) => {
  const { classId, page } = await aloneInAClass(people, site);
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
  });
  await page.reload();
  await share(page);
  const alert = page.getByRole('alertdialog');
  await expect(alert).toContainText(`${site.origin}/home/${classId}`);
  await expect(alert).not.toContainText('copied to clipboard');
});
