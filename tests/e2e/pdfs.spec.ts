// PDFs in messages: choosing, sending, the tile, the overlay and the download.
import { readFileSync } from 'node:fs';
import type { Download, Page } from '@playwright/test';
import { PDFDocument } from 'mupdf';
import { createManyPages, createOnePage } from '#tests/support/pdf-files.ts';
import { findViolations } from './axe.ts';
import { expect, test } from './fixtures.ts';
import {
  choose,
  dragOver,
  expectLoaded,
  findPictures,
  createPlainPicture,
  findStagedPictures,
} from './picture-files.ts';
import { meet, openMenu, findRoom } from './room.ts';

const createPdf = (buffer: Buffer, name = 'Ada Lovelace, sheet 1.pdf') => {
  return { name, mimeType: 'application/pdf', buffer };
};
const findTile = (page: Page) => findRoom(page).getByRole('button', { name: /^PDF/ });
const findDownloadLink = (page: Page) =>
  findRoom(page).getByRole('link', { name: 'Download PDF: Sheet 1' });

async function waitForDownload(page: Page, act: () => Promise<void>): Promise<Download> {
  const [file] = await Promise.all([page.waitForEvent('download'), act()]);
  return file;
}

test('a member sends a PDF, and another one sees its first page and downloads it [PDF-1, PDF-12, PDF-15, PDF-16, PDF-18, PDF-23, PDF-24]', async ({
  windows,
  site,
}) => {
  const { ben, classId, adaPage, benPage } = await meet(windows, site);
  await choose(adaPage, createPdf(Buffer.from('Notes')));
  await expect(adaPage.getByRole('alert').filter({ hasText: /./ })).toHaveText(
    'This file isn’t a PDF. Please export it as a PDF first.',
  );
  await choose(adaPage, createPdf(createManyPages(3)));
  await expect(findStagedPictures(adaPage)).toHaveAccessibleName('PDF to send');
  await expect(findStagedPictures(adaPage)).toContainText(
    'Everyone sees what is on the pages. Check them for your name.',
  );
  await findStagedPictures(adaPage).getByLabel('Title of the PDF').fill('Sheet 1');
  await adaPage.getByPlaceholder('Type a message...').fill('The sheet');
  await adaPage.getByPlaceholder('Type a message...').press('Enter');

  await expect(benPage.getByRole('log')).toContainText('Anonymous: The sheet · PDF: Sheet 1');
  for (const page of [adaPage, benPage]) {
    await expect(findTile(page)).toHaveAccessibleName('PDF, 3 pages: Sheet 1');
    await expect(findRoom(page)).toContainText('PDF · 3 pages');
    await expect(findRoom(page).getByText('Sheet 1', { exact: true })).toBeVisible();
    await expectLoaded(findTile(page));
    // About as high as a link.
    expect((await findTile(page).boundingBox())?.height).toBeLessThanOrEqual(56);
  }
  expect(await findViolations(benPage)).toEqual([]);
  const { messages } = await ben.call('listMessages', { params: { classId }, query: {} });
  expect(JSON.stringify(messages)).not.toContain('Lovelace');

  await findDownloadLink(benPage).focus();
  const file = await waitForDownload(benPage, () => benPage.keyboard.press('Enter'));
  expect(file.suggestedFilename()).toBe('document.pdf');
  expect(new PDFDocument(readFileSync(await file.path())).countPages()).toBe(3);
  await expect(benPage).toHaveURL(/home/);

  await findTile(benPage).click();
  const overlay = benPage.getByRole('dialog');
  await expect(overlay).toHaveAccessibleName('PDF');
  await expect(overlay.getByRole('status').first()).toHaveText(
    'First page; download the PDF for all 3',
  );
  await expect(overlay.getByText('Sheet 1', { exact: true })).toBeVisible();
  const save = overlay.getByRole('button', { name: 'Download PDF' });
  // Firefox numbers the files that it saves into one folder.
  const neutralName = /^document(-\d)?\.pdf$/;
  expect((await waitForDownload(benPage, () => save.click())).suggestedFilename()).toMatch(
    neutralName,
  );
  await benPage.keyboard.press('Escape');
  await openMenu(benPage, 'The sheet');
  const item = benPage.getByRole('menuitem', { name: 'Download PDF' });
  expect((await waitForDownload(benPage, () => item.click())).suggestedFilename()).toMatch(
    neutralName,
  );

  const data = await dragOver(
    adaPage,
    await createPlainPicture(90, 90),
    createPdf(createOnePage({}), 'a.pdf'),
  );
  await adaPage.getByRole('main').dispatchEvent('drop', { dataTransfer: data });
  await expect(findStagedPictures(adaPage).getByRole('listitem')).toHaveCount(2);
  await expect(findStagedPictures(adaPage)).toHaveAccessibleName('Pictures and PDFs to send');
  await findStagedPictures(adaPage).getByRole('button', { name: 'Select PDF 2' }).click();
  await findStagedPictures(adaPage).getByRole('button', { name: 'Move PDF left' }).click();
  await adaPage.getByPlaceholder('Type a message...').press('Enter');
  await expect(benPage.getByRole('log')).toContainText('Anonymous: Picture and PDF');
  await expect(findTile(benPage).last()).toHaveAccessibleName('PDF 1 of 2, 1 page');
  await expect(findPictures(benPage)).toHaveAccessibleName('Picture 2 of 2');
  await expect(findRoom(benPage).getByRole('group', { name: 'Picture and PDF' })).toBeVisible();

  await findTile(benPage).first().click();
  await expect(overlay.getByRole('status').first()).toHaveText(
    'First page; download the PDF for all 3',
  );
  await benPage.keyboard.press('ArrowRight');
  await expect(overlay.getByRole('status').first()).toHaveText('1 page');
  await expect(overlay).toHaveAccessibleName('PDF');
  await benPage.keyboard.press('ArrowRight');
  await expect(overlay.getByRole('status').first()).toHaveText('3 of 3');
});
