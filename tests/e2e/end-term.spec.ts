// A class whose term has ended: members can read it, and the app offers no action that would fail.
import type { Page } from '@playwright/test';
import { runAdminCommand } from '#tests/support/run-command.ts';

import { expect, test, type Site } from './fixtures.ts';
import { findViolations } from './axe.ts';
import { chooseAndUpload, dragOver, createPhoto } from './picture-files.ts';
import {
  openClassAlone,
  findClassLink,
  meet,
  findMessage,
  openMenu,
  findMessageText,
  say,
  deleteClass,
} from './room.ts';

const sentence = 'This class has ended. You can still read it.';

async function endTerm(site: Site, classId: string): Promise<void> {
  expect((await runAdminCommand(site.settings, 'archive-class', classId)).errors).toEqual([]);
}

const findNotice = (page: Page) => page.getByRole('status').getByText(sentence);
const findUnsentRegion = (page: Page) => page.getByRole('region', { name: 'Not sent' });

test('both open rooms of a class offer only reading as soon as it ends [ANON-26, LOG-84, CHAT-18, LIST-14]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId, adaPage, benPage } = await meet(windows, site);
  const socket = await ada.connect();
  await socket.post(classId, 'Said by Ada');
  await ben.post(classId, 'Said by Ben');
  for (const page of [adaPage, benPage]) {
    await expect(findMessage(page, 'Said by Ben')).toBeVisible();
    await expect(page.getByRole('button', { name: /^You are/ })).toBeVisible();
  }
  await expect(findMessage(benPage, 'Said by Ben')).toContainText(', you');
  await findMessage(adaPage, 'Said by Ben').getByRole('toolbar').waitFor();

  await endTerm(site, classId);
  for (const page of [adaPage, benPage]) {
    await expect(findNotice(page)).toBeVisible();
    await expect(page.getByPlaceholder('Type a message...')).toHaveCount(0);
    await expect(page.getByRole('button', { name: /^You are/ })).toHaveCount(0);
    await expect(page.locator('header').getByText('Ended', { exact: true })).toBeVisible();
    await expect(findClassLink(page, 'CS 146')).toContainText('Ended');
    await expect(findUnsentRegion(page)).toHaveCount(0);
  }
  for (const text of ['Said by Ben', 'Said by Ada']) {
    await expect(findMessage(adaPage, text)).not.toContainText(', you');
    await findMessage(adaPage, text).hover();
    await expect(findMessage(adaPage, text).getByRole('toolbar').getByRole('button')).toHaveCount(
      1,
    );
    await openMenu(adaPage, text);
    const items = adaPage.getByRole('menuitem').filter({ hasNotText: 'Report' });
    await expect(items).toHaveText(['Copy text', 'Copy link']);
    await expect(adaPage.getByRole('menuitemcheckbox')).toHaveCount(0);
    await adaPage.keyboard.press('Escape');
  }
  expect(await findViolations(adaPage)).toEqual([]);

  // A reload shows the same state.
  await adaPage.reload();
  await expect(findNotice(adaPage)).toBeVisible();
  await expect(adaPage.getByPlaceholder('Type a message...')).toHaveCount(0);

  // A student can join it by its link to read it, and leave it as usual.
  const latePage = await windows.openWindowAs(await site.createStudent());
  await latePage.goto(`/home/${classId}`);
  const offer = latePage.getByRole('dialog', { name: 'Join Class' });
  await expect(offer).toContainText('Would you like to join CS 146?');
  await expect(offer).toContainText(sentence);
  await offer.getByRole('button', { name: 'Join' }).click();
  await expect(findMessage(latePage, 'Said by Ben')).toBeVisible();
  await expect(findNotice(latePage)).toBeVisible();
  await deleteClass(latePage, 'CS 146');
  await expect(latePage.getByText('You are not enrolled in any classes.').first()).toBeVisible();
});

test('a member can copy the text that was in the composer when the class ended [CHAT-19]', async ({
  windows,
  site,
}) => {
  const { classId, adaPage, benPage } = await meet(windows, site);
  await adaPage.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await say(benPage, 'First said');
  await findMessage(benPage, 'First said').hover();
  await findMessage(benPage, 'First said').getByRole('button', { name: 'Edit' }).click();
  await benPage.getByLabel('Edit your message').fill('Said better');
  await chooseAndUpload(adaPage, await createPhoto());
  await adaPage.getByPlaceholder('Type a message...').fill('A long thought');

  await endTerm(site, classId);
  await expect(findNotice(adaPage)).toBeVisible();
  // The focused element no longer exists.
  await expect(findNotice(adaPage)).toBeFocused();
  await expect(findUnsentRegion(adaPage)).toContainText('A long thought');
  await expect(findUnsentRegion(adaPage).locator('img')).toBeVisible();
  await findUnsentRegion(adaPage).getByRole('button', { name: 'Copy' }).click();
  await expect(adaPage.getByText('Copied.')).toBeVisible();
  expect(await adaPage.evaluate(() => navigator.clipboard.readText())).toBe('A long thought');

  await expect(benPage.getByLabel('Edit your message')).toHaveCount(0);
  await expect(findMessageText(benPage, 'First said')).toBeVisible();
  await expect(findUnsentRegion(benPage)).toContainText('Said better');

  await adaPage.reload();
  await expect(findUnsentRegion(adaPage)).toContainText('A long thought');
  const dropped = await dragOver(adaPage, await createPhoto());
  await expect(adaPage.getByText('Drop pictures or PDFs to add them')).toHaveCount(0);
  await adaPage.getByRole('main').dispatchEvent('drop', { dataTransfer: dropped });
  // The picture from before the reload, without the dropped one.
  await expect(findUnsentRegion(adaPage).locator('img')).toHaveCount(1);
  expect(await findViolations(adaPage)).toEqual([]);
  await findUnsentRegion(adaPage).getByRole('button', { name: 'Discard' }).click();
  await expect(findUnsentRegion(adaPage)).toHaveCount(0);
  await adaPage.reload();
  await expect(findNotice(adaPage)).toBeVisible();
  await expect(findUnsentRegion(adaPage)).toHaveCount(0);
});

test('a message that was queued when the class ended says why it was not sent [CHAT-19, ANON-26]', async ({
  windows,
  site,
}) => {
  const { classId, page } = await openClassAlone(windows, site);
  await expect(page.getByRole('heading', { name: 'CS 146' })).toBeVisible();
  await say(page, 'In time');
  await expect(findMessage(page, 'In time').getByRole('toolbar')).toBeVisible();
  windows.expectConsoleError('ERR_INTERNET_DISCONNECTED');
  windows.expectConsoleError('WebSocket connection');
  await page.context().setOffline(true);
  await say(page, 'Too late');
  await endTerm(site, classId);
  await page.context().setOffline(false);

  await expect(findMessage(page, 'Too late')).toContainText(sentence);
  await expect(findNotice(page)).toBeVisible();
  const ways = findMessage(page, 'Too late').getByRole('button');
  await expect(ways).toHaveText(['Copy', 'Delete']);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await ways.filter({ hasText: 'Copy' }).click();
  await expect(page.getByText('Copied.')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('Too late');
  await ways.filter({ hasText: 'Delete' }).click();
  await expect(findMessageText(page, 'Too late')).toHaveCount(0);
});
