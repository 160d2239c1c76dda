// A deletion can be undone for five seconds, and survives the tab.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { meet, newTab, openMenu, room, said, say } from './room.ts';

async function remove(page: Page, text: string): Promise<void> {
  await openMenu(page, text);
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
}

const undo = (page: Page) => page.getByRole('button', { name: 'Undo' });

test('a deleted message is hidden at once, and Undo or Ctrl+Z shows it again [SEND-40, KEY-18]', async ({
  people,
  site,
}) => {
  const { adaPage, benPage } = await meet(people, site);
  await say(adaPage, 'It stays');
  await say(adaPage, 'Only once');
  await expect(said(benPage, 'Only once')).toBeVisible();
  await remove(adaPage, 'Only once');
  await expect(said(adaPage, 'Only once')).toHaveCount(0);
  await expect(adaPage.getByRole('status').filter({ hasText: 'Message deleted.' })).toBeVisible();
  await expect(adaPage.getByPlaceholder('Type a message...')).toBeFocused();
  await undo(adaPage).click();
  await expect(said(adaPage, 'Only once')).toBeVisible();
  await remove(adaPage, 'Only once');
  await expect(said(adaPage, 'Only once')).toHaveCount(0);
  await room(adaPage).focus();
  await adaPage.keyboard.press('Control+z');
  await expect(said(adaPage, 'Only once')).toBeVisible();
  await expect(undo(adaPage)).toHaveCount(0);
  // A message that Ben gets later shows that no deletion came before it.
  await say(adaPage, 'And then');
  await expect(said(benPage, 'And then')).toBeVisible();
  await expect(said(benPage, 'Only once')).toBeVisible();
});

test('a deletion reaches the others after the time to undo it [SEND-40]', async ({
  people,
  site,
}) => {
  const { adaPage, benPage } = await meet(people, site);
  await say(adaPage, 'Not for long');
  await expect(said(benPage, 'Not for long')).toBeVisible();
  await remove(adaPage, 'Not for long');
  await expect(undo(adaPage)).toBeVisible();
  await expect(said(benPage, 'Not for long')).toHaveCount(0);
  await expect(undo(adaPage)).toHaveCount(0);
  await expect(said(adaPage, 'Not for long')).toHaveCount(0);
});

test('another tab of the author shows the message until its deletion is sent, and does not send it after Undo [SEND-43]', async ({
  people,
  site,
}) => {
  const { classId, adaPage, benPage } = await meet(people, site);
  await say(adaPage, 'Twice');
  await expect(said(benPage, 'Twice')).toBeVisible();
  await remove(adaPage, 'Twice');
  await expect(undo(adaPage)).toBeVisible();
  // A tab that hides its page would send the deletion: this one opens next to it.
  const tab = await newTab(adaPage, classId);
  await expect(said(tab, 'Twice')).toBeVisible();
  await expect(undo(tab)).toHaveCount(0);
  await undo(adaPage).click();
  await expect(said(adaPage, 'Twice')).toBeVisible();
  // The new tab knows of the deletion and would finish it now.
  await tab.waitForTimeout(9000);
  for (const page of [adaPage, tab, benPage]) await expect(said(page, 'Twice')).toBeVisible();
  await remove(adaPage, 'Twice');
  for (const page of [adaPage, tab, benPage]) await expect(said(page, 'Twice')).toHaveCount(0);
});

test('a reload within the five seconds deletes the message [SEND-41]', async ({ people, site }) => {
  const { adaPage, benPage } = await meet(people, site);
  await say(adaPage, 'Reloaded at once');
  await expect(said(benPage, 'Reloaded at once')).toBeVisible();
  await remove(adaPage, 'Reloaded at once');
  await expect(undo(adaPage)).toBeVisible();
  await adaPage.reload();
  await expect(said(benPage, 'Reloaded at once')).toHaveCount(0);
  await expect(said(adaPage, 'Reloaded at once')).toHaveCount(0);
});

test('a deletion is not lost when the tab closes [SEND-41]', async ({ people, site }) => {
  const { adaPage, benPage } = await meet(people, site);
  await say(adaPage, 'Closed over');
  await expect(said(benPage, 'Closed over')).toBeVisible();
  await remove(adaPage, 'Closed over');
  await expect(said(adaPage, 'Closed over')).toHaveCount(0);
  await adaPage.close({ runBeforeUnload: true });
  await expect(said(benPage, 'Closed over')).toHaveCount(0);
});

test('a deletion without a connection is sent by the next page [SEND-41]', async ({
  people,
  site,
}) => {
  const { classId, adaPage, benPage } = await meet(people, site);
  await say(adaPage, 'Reloaded over');
  await expect(said(benPage, 'Reloaded over')).toBeVisible();
  // The line is dead: frames of this page no longer arrive.
  await adaPage.evaluate(() => {
    WebSocket.prototype.send = () => undefined;
  });
  await remove(adaPage, 'Reloaded over');
  await expect(said(adaPage, 'Reloaded over')).toHaveCount(0);
  await adaPage.goto(`/home/${classId}`);
  await expect(said(benPage, 'Reloaded over')).toHaveCount(0);
  await expect(said(adaPage, 'Reloaded over')).toHaveCount(0);
});

test('logging out without a connection asks first if a deletion would be lost [SEND-41]', async ({
  people,
  site,
}) => {
  const { adaPage, benPage } = await meet(people, site);
  // Its code is loaded before the connection is cut.
  await adaPage.getByRole('link', { name: 'Profile' }).click();
  await expect(adaPage.getByRole('button', { name: 'Log Out' })).toBeVisible();
  await adaPage.getByRole('link', { name: 'Home' }).click();
  await say(adaPage, 'Deleted offline');
  await expect(said(benPage, 'Deleted offline')).toBeVisible();
  people.expectConsoleError('ERR_INTERNET_DISCONNECTED');
  people.expectConsoleError('WebSocket connection');
  people.expectConsoleError('The profile could not be read.');
  await adaPage.context().setOffline(true);
  await remove(adaPage, 'Deleted offline');
  await adaPage.getByRole('link', { name: 'Profile' }).click();
  await adaPage.getByRole('button', { name: 'Log Out' }).click();
  const question = adaPage.getByRole('alertdialog');
  await expect(question).toContainText('The server cannot be reached.');
  await question.getByRole('button', { name: 'OK' }).click();
  await expect(question).toContainText('may still see a message that you deleted');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(adaPage).toHaveURL('/profile');
});

test('a deletion reaches the server before its author logs out or leaves [SEND-41]', async ({
  people,
  site,
}) => {
  const { adaPage, benPage } = await meet(people, site);
  await say(adaPage, 'Before leaving');
  await expect(said(benPage, 'Before leaving')).toBeVisible();
  await remove(adaPage, 'Before leaving');
  await adaPage.getByRole('link', { name: 'Profile' }).click();
  await adaPage.getByRole('button', { name: 'Log Out' }).click();
  await adaPage.waitForURL('**/signin**');
  await expect(said(benPage, 'Before leaving')).toHaveCount(0);
});
