import type { Page } from '@playwright/test';

import { twoInAClass } from '#tests/support/test-client.ts';
import { expect, test } from './fixtures.ts';
import { delivery, meet, openMenu, said, say } from './room.ts';

async function askToDelete(page: Page, text: string): Promise<void> {
  await openMenu(page, text);
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('Do you want to delete this message?');
}

const answer = (page: Page, name: 'Delete' | 'OK' | 'Cancel') =>
  page.getByRole('alertdialog').getByRole('button', { name }).click();

test('an author confirms and deletes a message, and it disappears for both members [DELETE-1, DELETE-2, CHAT-3]', async ({
  people,
  site,
}) => {
  const { adaPage, benPage } = await meet(people, site);
  await say(adaPage, 'Wrong room');
  await expect(said(benPage, 'Wrong room')).toBeVisible();
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
  await expect(said(adaPage, 'Wrong room')).toBeVisible();
  await askToDelete(adaPage, 'Wrong room');
  await answer(adaPage, 'Delete');
  for (const page of [adaPage, benPage]) await expect(said(page, 'Wrong room')).toHaveCount(0);
  await expect(adaPage.getByRole('alertdialog')).toHaveCount(0);
});

test('a deletion that the server refuses shows the spec’s message [DELETE-3, DELETE-4]', async ({
  people,
  site,
}) => {
  const { ada, ben, classId } = await twoInAClass(site);
  const { id: hers } = await ada.post(classId, 'Said by another');
  const { id: mine } = await ben.post(classId, 'Said by me');
  const page = await people.newWindow();
  // The browser offers deletion only for one's own messages, so the test replaces the message id on the way.
  await page.routeWebSocket(/\/live$/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      const isDeletion = String(text).includes('"type":"delete"');
      server.send(isDeletion ? String(text).replace(mine, hers) : text);
    });
  });
  await page.goto('/signin');
  await page.getByLabel(/^Email/).fill(ben.email);
  await page.getByLabel('Password', { exact: true }).fill(ben.password);
  await page.getByRole('button', { name: 'Sign In' }).click();
  await askToDelete(page, 'Said by me');
  await answer(page, 'Delete');
  await expect(page.getByRole('alertdialog')).toContainText(
    'You can only delete your own messages.',
  );
  await answer(page, 'OK');
  await expect(said(page, 'Said by another')).toBeVisible();
  await expect(said(page, 'Said by me')).toBeVisible();
});

test('deleting a message that no longer exists shows no error [DELETE-5]', async ({
  people,
  site,
}) => {
  const { ada, classId, adaPage, benPage } = await meet(people, site);
  const socket = await ada.connect();
  await socket.post(classId, 'It stays');
  const { id } = await socket.post(classId, 'Gone twice');
  await askToDelete(adaPage, 'Gone twice');
  await socket.request({ type: 'delete', classId, messageId: id });
  await expect(said(adaPage, 'Gone twice')).toHaveCount(0);
  await answer(adaPage, 'Delete');
  // When this later call is answered, the deletion has been handled too.
  await say(adaPage, 'Afterwards');
  await expect(said(benPage, 'Afterwards')).toBeVisible();
  await expect(delivery(adaPage, 'Afterwards')).toHaveAttribute('aria-busy', 'false');
  await expect(adaPage.getByRole('alertdialog')).toHaveCount(0);
  await expect(said(adaPage, 'It stays')).toBeVisible();
});
