import type { Page } from '@playwright/test';

import { expect, test } from './fixtures.ts';
import { meet, openMenu, findMessageText, say } from './room.ts';

async function askToDelete(page: Page, text: string): Promise<void> {
  await openMenu(page, text);
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('Do you want to delete this message?');
  await expect(page.getByRole('alertdialog').getByText(text)).toBeVisible();
}

const answer = (page: Page, name: 'Delete' | 'Cancel') =>
  page.getByRole('alertdialog').getByRole('button', { name }).click();

test('a message that its author deletes disappears for both members [DELETE-4, DELETE-2, CHAT-3]', async ({
  windows,
  site,
}) => {
  const { adaPage, benPage } = await meet(windows, site);
  await say(adaPage, 'Wrong room');
  await expect(findMessageText(benPage, 'Wrong room')).toBeVisible();
  await openMenu(benPage, 'Wrong room');
  await expect(benPage.getByRole('menuitem')).toHaveText([
    'Reply',
    'Copy text',
    'Copy link',
    'Mark unread from here',
    'Hide this message',
    'Ignore this person',
    'Report',
  ]);
  await benPage.keyboard.press('Escape');

  await askToDelete(adaPage, 'Wrong room');
  await answer(adaPage, 'Cancel');
  await expect(adaPage.getByRole('alertdialog')).toHaveCount(0);
  await expect(findMessageText(adaPage, 'Wrong room')).toBeVisible();
  await askToDelete(adaPage, 'Wrong room');
  await answer(adaPage, 'Delete');
  for (const page of [adaPage, benPage]) {
    await expect(findMessageText(page, 'Wrong room')).toHaveCount(0);
  }
  await expect(adaPage.getByRole('alertdialog')).toHaveCount(0);
});
