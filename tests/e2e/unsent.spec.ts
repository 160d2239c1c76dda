import type { Page } from '@playwright/test';
import { expect, stopServer, test } from './fixtures.ts';
import {
  findComposer,
  findMessage,
  findMessageText,
  findRoom,
  openClassAlone,
  openTab,
  say,
} from './room.ts';

test('a new tab sends messages that were written while the server was down, once and in order [LOG-14, SEND-7, CHAT-7, CHAT-13, AUTH-19, LOG-89]', async ({
  windows,
  site,
}) => {
  const { student, classId, page } = await openClassAlone(windows, site);
  await page.evaluate(() => (navigator.storage.persist = () => Promise.resolve(false)));
  const witness = await openTab(page, classId);
  // The code of the profile is loaded before the connection is lost.
  await page.getByRole('link', { name: 'Profile' }).click();
  await expect(page.getByText(student.email)).toBeVisible();
  await page.goBack();
  for (const currentPage of [page, witness]) {
    await expect(currentPage.getByRole('heading', { name: 'CS 146' })).toBeVisible();
  }
  windows.expectConsoleError('The profile could not be read.');
  await stopServer(windows, site);
  await say(page, 'first');
  await expect(findMessageText(witness, 'first')).toBeVisible();
  await storeAsEarlierVersion(page);
  await say(page, 'second');
  await expect(findMessageText(page, 'second')).toBeVisible();
  await expect(findRoom(page).getByText(', you')).toBeVisible();
  await expect(
    page.getByText('You are offline. Messages will be sent when you are back.'),
  ).toBeVisible();
  await expect(page.getByText('only for a few days')).toBeVisible();
  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByRole('button', { name: 'Log Out' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('not sent and will be lost');
  await page.getByRole('button', { name: 'Cancel' }).click();
  // Another tab shows what is stored, so both tabs may close now.
  await expect(findMessageText(witness, 'second')).toBeVisible();
  await page.close();
  await witness.close();

  await site.start();
  const tab = await openTab(page, classId);
  await expect(findMessageText(tab, 'second')).toBeVisible();
  await expect(async () => {
    const { messages } = await student.call('listMessages', { params: { classId }, query: {} });
    expect(messages.map((message) => message.text)).toEqual(['first', 'second']);
  }).toPass({ timeout: 60_000 });
});

test('a message says that it waits, although the connection was lost before the code of dialogs had loaded [SEND-36]', async ({
  windows,
  site,
}) => {
  windows.expectConsoleError('ERR_FAILED');
  windows.expectConsoleError('ERR_INTERNET_DISCONNECTED');
  windows.expectConsoleError('WebSocket connection');
  const { page } = await openClassAlone(windows, site);
  await page.route('**/assets/dialogs-*.js', (route) => route.abort());
  await page.reload();
  await expect(findComposer(page)).toBeFocused();
  await page.waitForLoadState('networkidle');
  await page.context().setOffline(true);

  await say(page, 'I will be late');

  await expect(findMessage(page, 'I will be late')).toContainText('Waiting for a connection');
});

/** Stores the unsent messages as a version did whose order depended on the clock, which was an hour ahead. */
async function storeAsEarlierVersion(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const opening = indexedDB.open('backchannel');
    await new Promise((resolve) => opening.addEventListener('success', resolve));
    const transaction = opening.result.transaction('outbox', 'readwrite');
    const reading = transaction.objectStore('outbox').openCursor();
    reading.addEventListener('success', () => {
      const cursor = reading.result;
      if (!cursor) return;
      const { place: _, ...entry } = cursor.value;
      cursor.update({ ...entry, createdAt: entry.createdAt + 3_600_000 });
      cursor.continue();
    });
    await new Promise((resolve) => transaction.addEventListener('complete', resolve));
    opening.result.close();
  });
}
