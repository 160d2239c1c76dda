// A session that ends while its page is open: what the same person finds after signing in, and what the next one does not.
import type { Page } from '@playwright/test';
import { startOidcServer } from '#tests/support/oidc-server.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { createSite, expect, test } from './fixtures.ts';
import { choose, createPhoto, findStagedPictures } from './picture-files.ts';
import { findComposer, findMessageText, findRoom, meet, openMenu, openTab, say } from './room.ts';

const typed = ['an unfinished thought', 'the unfinished reason', 'the board of today'];

/** Everything that a person at this device can read of the page: its document, its history and its storages. */
function readPage(page: Page): Promise<string> {
  return page.evaluate(() => {
    const entries = [localStorage, sessionStorage].map((storage) => JSON.stringify(storage));
    const state = JSON.stringify(history.state);
    return [document.documentElement.outerHTML, document.title, state, ...entries].join('\n');
  });
}

async function expectPaused(page: Page, ...texts: string[]): Promise<void> {
  await expect(page).toHaveURL('/signin');
  await expect(page.getByText(/^Your session has ended: it expired, /)).toBeVisible();
  const content = await readPage(page);
  for (const text of texts) expect(content).not.toContain(text);
}

/** Signs in on the page as it is: loading it would end its memory. */
async function signIn(page: Page, student: TestClient): Promise<void> {
  await page.getByLabel(/^Email/).fill(student.email);
  await page.getByLabel('Password', { exact: true }).fill(student.password);
  await page.getByRole('button', { name: 'Sign In' }).click();
}

/** Types a draft, describes a picture and half fills in a report. */
async function leaveUnfinished(page: Page, text: string): Promise<void> {
  await findComposer(page).fill(typed[0]!);
  await choose(page, await createPhoto());
  const staged = findStagedPictures(page);
  await staged.getByRole('textbox').fill(typed[2]!);
  await expect(staged.getByRole('progressbar')).toHaveCount(0);
  await openMenu(page, text);
  await page.getByRole('menuitem', { name: 'Report' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio').nth(1).check();
  await dialog.getByRole('textbox').fill(typed[1]!);
}

async function meetAndEnd(windows: Parameters<typeof meet>[0], site: Parameters<typeof meet>[1]) {
  windows.expectConsoleError('401 (Unauthorized)');
  windows.expectConsoleError('HTTP Authentication failed');
  windows.expectConsoleError('WebSocket connection');
  const meeting = await meet(windows, site);
  await say(meeting.benPage, 'a message of the class');
  await expect(findMessageText(meeting.adaPage, 'a message of the class')).toBeVisible();
  await leaveUnfinished(meeting.adaPage, 'a message of the class');
  const end = (student: TestClient) => student.call('signOutOtherDevices', {});
  return { ...meeting, end };
}

test('after a session ended, the same person finds draft, picture and form, in every tab [OFFLINE-16, AUTH-74]', async ({
  windows,
  site,
}) => {
  const { ada, adaPage, benPage, classId, end } = await meetAndEnd(windows, site);
  const tab = await openTab(adaPage, classId);
  await expect(findComposer(tab)).toHaveValue(typed[0]!);
  const form = await adaPage.context().newPage();
  await form.goto('/create');
  await form.getByRole('textbox').first().fill(typed[0]!);

  await end(ada);

  await expectPaused(adaPage, ...typed, 'a message of the class', classId);
  await expectPaused(tab, ...typed, 'a message of the class', classId);

  await signIn(tab, ada);
  await expect(findComposer(tab)).toHaveValue(typed[0]!);
  await expect(adaPage).toHaveURL(`/home/${classId}`);
  await expect(form).toHaveURL('/create');
  await expect(form.getByRole('textbox').first()).toHaveValue(typed[0]!);
  const dialog = adaPage.getByRole('dialog');
  await expect(dialog.getByRole('radio').nth(1)).toBeChecked();
  await expect(dialog.getByRole('textbox')).toHaveValue(typed[1]!);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(findComposer(adaPage)).toHaveValue(typed[0]!);
  await expect(findStagedPictures(adaPage).getByRole('textbox')).toHaveValue(typed[2]!);
  await findComposer(adaPage).press('Enter');
  await expect(findMessageText(benPage, typed[0]!)).toBeVisible();
  await expect(findRoom(benPage).getByRole('button', { name: typed[2]! })).toBeVisible();
});

test('a draft that was sent from one tab does not come back from a slow one [OFFLINE-16]', async ({
  windows,
  site,
}) => {
  const { ada, adaPage, benPage, classId, end } = await meetAndEnd(windows, site);
  const tab = await openTab(adaPage, classId);
  await end(ada);
  await expectPaused(adaPage, ...typed);
  await expectPaused(tab, ...typed);
  const { promise: isSent, resolve: release } = Promise.withResolvers<void>();
  await adaPage.route('**/api/me', async (route) => {
    await isSent;
    await route.continue();
  });

  await signIn(tab, ada);
  await expect(findComposer(tab)).toHaveValue(typed[0]!);
  await findComposer(tab).press('Enter');
  await expect(findMessageText(benPage, typed[0]!)).toBeVisible();
  release();

  await expect(adaPage).toHaveURL(`/home/${classId}`);
  await expect(findComposer(adaPage)).toHaveValue('');
  await expect(findComposer(tab)).toHaveValue('');
});

test('after a session ended, another person finds nothing of the first [OFFLINE-16, LIST-60]', async ({
  windows,
  site,
}) => {
  const { ada, adaPage, classId, end } = await meetAndEnd(windows, site);
  const cem = await site.createStudent();
  await end(ada);
  await expectPaused(adaPage, ...typed, 'a message of the class');

  await signIn(adaPage, cem);
  await expect(adaPage).toHaveURL('/home');

  const content = await readPage(adaPage);
  for (const text of [...typed, 'a message of the class', classId]) {
    expect(content).not.toContain(text);
  }
  await adaPage.goBack();
  await expect(adaPage.getByRole('dialog')).toHaveCount(0);
});

test('sign-on after a session ended brings everything back to the same person [AUTH-74, OIDC-2]', async ({
  windows,
}) => {
  const port = await findFreePort();
  const provider = await startOidcServer(`http://localhost:${port}`);
  const site = await createSite({ ...provider.settings, PORT: String(port) });
  const { ada, adaPage, classId, end } = await meetAndEnd(windows, site);
  provider.person = { sub: ada.email, email: ada.email, verified: true };
  await end(ada);
  await expectPaused(adaPage, ...typed, 'a message of the class', classId);
  // A browser that blocks pop-ups.
  const openWindow = await adaPage.evaluateHandle(() => globalThis.open);
  await adaPage.evaluate(() => {
    globalThis.open = () => null;
  });
  await adaPage.getByRole('button', { name: 'Sign in with Riverside Login' }).click();
  await expect(adaPage.getByText('Allow pop-ups for this site')).toBeVisible();
  await adaPage.evaluate((open) => {
    globalThis.open = open;
  }, openWindow);

  const opening = adaPage.context().waitForEvent('page');
  await adaPage.getByRole('button', { name: 'Sign in with Riverside Login' }).click();
  const tab = await opening;
  await tab.getByLabel('Password', { exact: true }).fill(ada.password);
  await tab.getByRole('button', { name: 'Confirm with password' }).click();
  await expect(tab).toHaveURL(/\/home/);
  await tab.close();

  await expect(adaPage).toHaveURL(`/home/${classId}`);
  const dialog = adaPage.getByRole('dialog');
  await expect(dialog.getByRole('textbox')).toHaveValue(typed[1]!);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(findComposer(adaPage)).toHaveValue(typed[0]!);
  await expect(findStagedPictures(adaPage).getByRole('textbox')).toHaveValue(typed[2]!);
  await windows.closeWindows();
  await site.end();
  await provider.stop();
});
