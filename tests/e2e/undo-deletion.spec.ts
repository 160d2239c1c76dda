// A confirmed deletion is sent immediately. 'Undo' puts the text back into the message field.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { meet, openTab, openMenu, findRoom, findMessageText, say } from './room.ts';

async function remove(page: Page, text: string, answer = 'Delete'): Promise<void> {
  await openMenu(page, text);
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('Do you want to delete this message?');
  await expect(question.getByText(text)).toBeVisible();
  await question.getByRole('button', { name: answer }).click();
  await expect(question).toHaveCount(0);
}

const findUndoButton = (page: Page) => page.getByRole('button', { name: 'Undo' });
const findField = (page: Page) => page.getByPlaceholder('Type a message...');

test('Undo and Ctrl+Z put the text of a deleted message back without sending it [SEND-46, SEND-48, DELETE-2]', async ({
  windows,
  site,
}) => {
  const { classId, adaPage, benPage } = await meet(windows, site);
  await say(adaPage, 'It stays');
  await say(adaPage, 'Only once');
  await expect(findMessageText(benPage, 'Only once')).toBeVisible();
  const tab = await openTab(adaPage, classId);
  await expect(findMessageText(tab, 'Only once')).toBeVisible();
  // Chromium paints nothing in a tab behind another one.
  await adaPage.bringToFront();

  await openMenu(benPage, 'Only once');
  await expect(benPage.getByRole('menuitem', { name: 'Report' })).toBeVisible();
  await expect(benPage.getByRole('menuitem', { name: 'Delete' })).toHaveCount(0);
  await benPage.keyboard.press('Escape');
  await remove(adaPage, 'Only once', 'Cancel');
  await expect(findMessageText(adaPage, 'Only once')).toBeVisible();
  await remove(adaPage, 'Only once');

  for (const page of [adaPage, tab, benPage]) {
    await expect(findMessageText(page, 'Only once')).toHaveCount(0);
  }
  await expect(findUndoButton(tab)).toHaveCount(0);
  await findUndoButton(adaPage).click();
  await expect(findField(adaPage)).toHaveValue('Only once');
  await expect(findField(adaPage)).toBeFocused();
  await adaPage.keyboard.press('Enter');
  await expect(findMessageText(benPage, 'Only once')).toBeVisible();
  await remove(adaPage, 'Only once');
  await expect(findMessageText(benPage, 'Only once')).toHaveCount(0);
  await findRoom(adaPage).focus();
  await adaPage.keyboard.press('Control+z');
  await expect(findField(adaPage)).toHaveValue('Only once');

  // Undo does not touch a message that is being written.
  await findField(adaPage).fill('The new one');
  await remove(adaPage, 'It stays');
  await findUndoButton(adaPage).click();
  await expect(
    adaPage.getByRole('status').filter({ hasText: 'You are writing another message.' }),
  ).toBeVisible();
  await expect(findField(adaPage)).toHaveValue('The new one');
  await findField(adaPage).fill('');
  await findUndoButton(adaPage).click();
  await expect(findField(adaPage)).toHaveValue('It stays');
});
