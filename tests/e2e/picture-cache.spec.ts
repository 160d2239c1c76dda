// How the browser caches pictures: not on disk, but in memory for scrolling.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from '@playwright/test';

import { expect, signIn, test } from './fixtures.ts';
import { expectLoaded, createPhoto, findPictures, sendPicture } from './picture-files.ts';
import { findMessageText } from './room.ts';

/** Every file under the folder that contains these bytes. */
function listFilesContaining(bytes: Buffer, folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => readFileSync(path).includes(bytes));
}

function recordRequests(page: Page): string[] {
  const urls: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('.webp')) urls.push(request.url());
  });
  return urls;
}

test('Log Out leaves no picture in the disk cache [PIC-63, HTTP-3]', async ({ site }) => {
  const ada = await site.createStudent();
  const classId = await ada.createClass();
  await sendPicture(ada, classId, await createPhoto());
  const profile = mkdtempSync(join(tmpdir(), 'backchannel-profile-'));
  const executablePath = process.env['BACKCHANNEL_BROWSER'];
  const browser = await chromium.launchPersistentContext(profile, {
    baseURL: site.origin,
    ...(executablePath && { executablePath }),
  });
  const page = await browser.newPage();
  await signIn(page, ada);
  await expectLoaded(findPictures(page));
  await findPictures(page).click();
  await expect(page.getByRole('dialog').locator('img:not([data-waiting])')).toHaveCount(2);
  await page.keyboard.press('Escape');
  const urls = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => name),
  );
  const names = urls.filter((url) => url.endsWith('.webp'));
  expect(names.length).toBeGreaterThan(0);
  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByRole('button', { name: 'Log Out' }).click();
  await expect(page).toHaveURL('/signin');
  await browser.close();
  // The disk cache exists and contains the app's own files.
  const written = listFilesContaining(Buffer.from('/assets/'), join(profile, 'Default', 'Cache'));
  expect(written.length).toBeGreaterThan(0);
  for (const name of names) {
    const bytes = Buffer.from(await (await ada.fetch(new URL(name).pathname)).arrayBuffer());
    expect(bytes.length).toBeGreaterThan(1000);
    expect(listFilesContaining(bytes.subarray(200, 400), profile)).toEqual([]);
  }
  rmSync(profile, { recursive: true, force: true });
});

test('a picture that scrolls back into view does not load again [PIC-63]', async ({
  windows,
  site,
}) => {
  const ada = await site.createStudent();
  const classId = await ada.createClass();
  await sendPicture(ada, classId, await createPhoto(), { text: 'the first' });
  const socket = await ada.connect();
  for (let n = 0; n < 45; n++) await socket.post(classId, `message ${n}\n\n\n\n`.repeat(4));
  await socket.post(classId, 'the last');
  socket.close();
  const page = await windows.openWindowAs(ada);
  await expect(findMessageText(page, 'the last')).toBeVisible();
  const urls = recordRequests(page);
  for (let round = 0; round < 3; round++) {
    await page.getByRole('group', { name: 'Messages' }).focus();
    await page.keyboard.press('Home');
    await expectLoaded(findPictures(page));
    await page.keyboard.press('End');
    await expect(findMessageText(page, 'the last')).toBeInViewport();
    await expect(findPictures(page)).toHaveCount(0);
  }
  expect(urls).toHaveLength(1);
});
