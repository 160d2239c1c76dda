import type { Page } from '@playwright/test';

import { twoInAClass } from '#tests/support/test-client.ts';
import { expect, test } from './fixtures.ts';
import {
  animation,
  choose,
  chooseAndUpload,
  dragOver,
  loaded,
  paste,
  photo,
  pictures,
  plain,
  sendPicture,
  staged,
} from './picture-files.ts';
import {
  aloneInAClass,
  composer,
  delivery,
  inClassList,
  meet,
  message,
  openMenu,
  room,
  said,
  say,
} from './room.ts';

const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true }).click();
const problem = (page: Page) => page.getByRole('alert').filter({ hasText: /./ });

/** Holds each upload until the returned function is called. */
async function holdUploads(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/api/classes/*/images', async (route) => {
    await promise;
    await route.continue().catch(() => undefined);
  });
  return resolve;
}

test('a member picks, previews, describes and sends a picture with text, and both members see it [CHAT-4, SEND-3, SEND-18, PIC-31, PIC-35, PIC-41]', async ({
  people,
  site,
}) => {
  const { ada, classId, adaPage, benPage } = await meet(people, site);
  const sent: string[] = [];
  adaPage.on('request', (request) => {
    if (request.url().endsWith('/images')) {
      sent.push(JSON.stringify(request.headers()), String(request.postDataBuffer()));
    }
  });
  await choose(adaPage, await photo(600, 400));
  await expect(staged(adaPage).locator('img')).toBeVisible();
  await staged(adaPage).getByLabel('Description of the picture').fill('A board full of proofs');
  await composer(adaPage).fill('From today');
  await send(adaPage);
  await expect(staged(adaPage)).toHaveCount(0);
  await expect(composer(adaPage)).toHaveValue('');
  for (const page of [adaPage, benPage]) {
    const picture = message(page, 'From today').getByRole('button', {
      name: 'Picture: A board full of proofs',
    });
    await expect(picture).toBeVisible();
    await loaded(picture);
  }
  const { messages } = await ada.call('listMessages', { params: { classId }, query: {} });
  const { imageUrl, storagePath, images } = messages[0]!;
  expect(imageUrl).toMatch(/^\/images\/[\w-]{16}\.webp$/);
  expect(storagePath).toBe(imageUrl?.slice(1));
  expect(images).toMatchObject([{ width: 600, height: 400, alt: 'A board full of proofs' }]);
  expect(sent).toHaveLength(2);
  expect(sent.join()).not.toContain('Lovelace');
});

test('a picture alone is a message and is announced as one [SEND-2, PIC-35]', async ({
  people,
  site,
}) => {
  const { ada, classId, adaPage, benPage } = await meet(people, site);
  await choose(adaPage, await photo());
  await expect(staged(adaPage)).toBeVisible();
  await composer(adaPage).press('Enter');
  await expect(pictures(benPage)).toHaveCount(1);
  await expect(benPage.getByRole('log')).toContainText('Anonymous: Picture');
  await expect(room(benPage).getByRole('article')).toHaveAccessibleName(/Anonymous, .*: Picture$/);
  await expect(pictures(adaPage)).toHaveCount(1);
  const { messages } = await ada.call('listMessages', { params: { classId }, query: {} });
  expect(messages).toMatchObject([{ text: '' }]);
});

test('a staged picture can be removed, and then the server deletes it [CHAT-4, PIC-31]', async ({
  people,
  site,
}) => {
  const { student, classId, page } = await aloneInAClass(people, site);
  const { imageUrl } = await chooseAndUpload(page, await photo());
  expect((await student.fetch(imageUrl)).status).toBe(200);
  await staged(page).getByRole('button', { name: 'Remove picture' }).click();
  await expect(staged(page)).toHaveCount(0);
  await expect(composer(page)).toBeFocused();
  await expect.poll(async () => (await student.fetch(imageUrl)).status).toBe(404);
  await say(page, 'text alone');
  await expect(delivery(page, 'text alone')).toHaveAttribute('aria-busy', 'false');
  const { messages } = await student.call('listMessages', { params: { classId }, query: {} });
  expect(messages).toMatchObject([{ text: 'text alone', images: [] }]);
});

test('an upload shows its progress, and the member can send before it ends [PIC-31, PIC-36, SEND-7]', async ({
  people,
  site,
}) => {
  const { student, classId, page } = await aloneInAClass(people, site);
  const letGo = await holdUploads(page);
  await choose(page, await photo());
  await expect(staged(page).getByRole('progressbar')).toBeVisible();
  await expect(staged(page)).toContainText(/Uploading… \d+ %/);
  await composer(page).fill('on its way');
  await send(page);
  await expect(staged(page)).toHaveCount(0);
  const mine = message(page, 'on its way');
  await expect(mine.getByRole('img', { name: 'Picture' })).toBeVisible();
  await expect(mine.getByRole('progressbar')).toBeVisible();
  await expect(delivery(page, 'on its way')).toHaveAttribute('aria-busy', 'true');
  await say(page, 'behind it');
  const { messages } = await student.call('listMessages', { params: { classId }, query: {} });
  expect(messages).toEqual([]);

  const height = (await mine.boundingBox())?.height;
  const own = await mine.locator('img').elementHandle();
  const { promise: comes, resolve: letCome } = Promise.withResolvers<void>();
  await page.route('**/*.webp', async (route) => {
    await comes;
    await route.continue().catch(() => undefined);
  });
  letGo();
  await expect(delivery(page, 'behind it')).toHaveAttribute('aria-busy', 'false');
  // The message is acknowledged and the server's version is arriving. The local picture stays unchanged.
  await expect(mine.locator('img')).toHaveCount(2);
  expect(await own?.evaluate((image) => image.isConnected && image.checkVisibility())).toBe(true);
  letCome();
  await expect(mine.locator('img')).toHaveCount(1);
  await loaded(mine.getByRole('button', { name: 'Picture' }));
  expect((await mine.boundingBox())?.height).toBe(height);
  const after = await student.call('listMessages', { params: { classId }, query: {} });
  expect(after.messages.map(({ text, images }) => [text, images.length])).toEqual([
    ['on its way', 1],
    ['behind it', 0],
  ]);
});

test('pasting and dropping stage a picture, and dragging shows the drop area [SEND-9]', async ({
  people,
  site,
}) => {
  const { page } = await aloneInAClass(people, site);
  await paste(page, await photo());
  await expect(staged(page)).toBeVisible();
  await staged(page).getByRole('button', { name: 'Remove picture' }).click();

  // Spreadsheets copy a cell as text and as an image of itself.
  await paste(page, await photo(), 'a cell');
  const data = await dragOver(page, await photo());
  await expect(page.getByText('Drop pictures or PDFs to add them to your message')).toBeVisible();
  await expect(staged(page)).toHaveCount(0);
  await page.getByRole('main').dispatchEvent('drop', { dataTransfer: data });
  await expect(page.getByText('Drop pictures or PDFs to add them to your message')).toHaveCount(0);
  await expect(staged(page)).toBeVisible();
});

test('a failed upload keeps the text and can be retried [PIC-33]', async ({ people, site }) => {
  const { page } = await aloneInAClass(people, site);
  people.expectConsoleError('ERR_FAILED');
  await page.route('**/api/classes/*/images', (route) => route.abort());
  await composer(page).fill('and this text');
  await choose(page, await photo());
  await expect(problem(page)).toHaveText(
    'The picture could not be uploaded. Please check your connection.',
  );
  await expect(composer(page)).toHaveValue('and this text');
  await page.unroute('**/api/classes/*/images');
  await staged(page).getByRole('button', { name: 'Retry' }).click();
  await expect(problem(page)).toHaveCount(0);
  await send(page);
  await expect(
    message(page, 'and this text').getByRole('button', { name: 'Picture' }),
  ).toBeVisible();
});

test('a file that cannot be used shows a clear error, and the text stays [SEND-5, PIC-33]', async ({
  people,
  site,
}) => {
  const { page } = await aloneInAClass(people, site);
  let uploads = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/images')) uploads += 1;
  });
  await composer(page).fill('the text');
  const refused = async (file: Parameters<typeof choose>[1], sentence: string) => {
    await choose(page, file);
    await expect(problem(page)).toHaveText(sentence);
    await expect(staged(page)).toHaveCount(0);
    await expect(composer(page)).toHaveValue('the text');
  };
  const { buffer } = await photo();
  const large = {
    name: 'large.jpg',
    mimeType: 'image/jpeg',
    buffer: Buffer.alloc(10 * 1024 * 1024 + 1),
  };
  await refused(large, 'A picture can have at most 10 MB. Please choose a smaller one.');
  await refused(
    await plain(8000, 5001),
    'A picture can have at most 40 megapixels. Please choose a smaller one.',
  );
  const notAPicture =
    'This file type isn’t supported. Please choose a JPEG, PNG, WebP, GIF or AVIF picture, or a PDF.';
  await refused({ name: 'x.doc', mimeType: 'application/msword', buffer }, notAPicture);
  expect(uploads).toBe(0);

  people.expectConsoleError('400 (Bad Request)');
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  await refused({ name: 'x.svg', mimeType: 'image/svg+xml', buffer: svg }, notAPicture);
  await refused(
    { name: 'x.jpg', mimeType: 'image/jpeg', buffer: buffer.subarray(0, buffer.length / 2) },
    'This picture is damaged. Save it again or choose another one.',
  );
  await choose(page, await photo());
  await expect(problem(page)).toHaveCount(0);
});

test('each class keeps its staged picture while another class is open [PIC-31, SEND-10]', async ({
  people,
  site,
}) => {
  const student = await site.newStudent();
  await student.createClass({ courseNumber: '1' });
  await student.createClass({ courseNumber: '2' });
  const page = await people.newWindowOf(student);
  const open = (label: string) => inClassList(page, label).click();
  await expect(page.getByRole('heading', { name: 'CS 1' })).toBeVisible();
  await choose(page, await photo());
  await staged(page).getByLabel('Description of the picture').fill('of the first');
  await open('CS 2');
  await expect(page.getByRole('heading', { name: 'CS 2' })).toBeVisible();
  await expect(staged(page)).toHaveCount(0);
  await open('CS 1');
  await expect(staged(page).getByLabel('Description of the picture')).toHaveValue('of the first');
  await expect(staged(page).locator('img')).toBeVisible();
});

test('a picture that this browser cannot show is a plain tile [PIC-34]', async ({
  people,
  site,
}) => {
  const { page } = await aloneInAClass(people, site);
  await holdUploads(page);
  const buffer = Buffer.from('what only the server understands');
  await choose(page, { name: 'x.avif', mimeType: 'image/avif', buffer });
  await expect(staged(page)).toBeVisible();
  await expect(staged(page).locator('img')).toHaveCount(0);
  await expect(staged(page).locator('svg').first()).toBeVisible();
});

test('a picture reserves its space and shows its placeholder before it loads [CHAT-11, PIC-36]', async ({
  people,
  site,
}) => {
  const { ada, ben, classId } = await twoInAClass(site);
  await sendPicture(ada, classId, await plain(900, 600), { text: 'look' });
  const page = await people.newWindowOf(ben);
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await page.route('**/*.webp', async (route) => {
    await held;
    await route.continue().catch(() => undefined);
  });
  await page.goto(`/home/${classId}`);
  const picture = pictures(page);
  await expect(picture.locator('canvas')).toBeVisible();
  const colour = await picture.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas
      .getContext('2d')!
      .getImageData(canvas.width / 2, canvas.height / 2, 1, 1);
    return [...data];
  });
  // About #36507e.
  for (const [n, value] of [0x36, 0x50, 0x7e, 0xff].entries()) {
    expect(Math.abs((colour[n] ?? 0) - value)).toBeLessThan(16);
  }
  const before = await picture.boundingBox();
  expect(before!.width / before!.height).toBeCloseTo(1.5, 1);
  letGo();
  await loaded(picture);
  await expect(picture.locator('canvas')).toHaveCount(0);
  expect(await picture.boundingBox()).toEqual(before);
});

test('a deleted picture shows a message, and a failed load can be retried [PIC-37]', async ({
  people,
  site,
}) => {
  const { ada, ben, classId } = await twoInAClass(site);
  await sendPicture(ada, classId, await photo());
  const page = await people.newWindowOf(ben);
  await expect(pictures(page)).toHaveCount(1);
  people.expectConsoleError('404 (Not Found)');
  people.expectConsoleError('ERR_FAILED');
  await page.route('**/*.webp', (route) => route.fulfill({ status: 404 }));
  await page.reload();
  await expect(room(page).getByText('This picture is no longer available')).toBeVisible();
  await page.unroute('**/*.webp');
  await page.route('**/*.webp', (route) => route.abort());
  await page.reload();
  const retry = room(page).getByRole('button', { name: 'Not loaded. Retry' });
  await expect(retry).toBeVisible();
  await page.unroute('**/*.webp');
  await retry.click();
  await loaded(pictures(page));
});

test('the text of a picture message can be removed, and deleting the message deletes the picture [PIC-15, DELETE-6, SEND-15]', async ({
  people,
  site,
}) => {
  const { ada, ben, classId, adaPage, benPage } = await meet(people, site);
  await sendPicture(ada, classId, await photo(), { text: 'Too much said' });
  await expect(pictures(benPage)).toHaveCount(1);
  await openMenu(adaPage, 'Too much said');
  await adaPage.getByRole('menuitem', { name: 'Edit' }).click();
  const editor = adaPage.getByRole('textbox', { name: 'Edit your message' });
  await editor.fill('');
  await editor.press('Enter');
  await expect(said(benPage, 'Too much said')).toHaveCount(0);
  await expect(room(benPage).getByText('(edited)')).toBeVisible();
  await expect(pictures(benPage)).toHaveCount(1);

  const { messages } = await ben.call('listMessages', { params: { classId }, query: {} });
  const url = messages[0]!.imageUrl!;
  expect((await ben.fetch(url)).status).toBe(200);
  await room(adaPage).getByRole('article').hover();
  await adaPage.getByRole('button', { name: 'More' }).click();
  await adaPage.getByRole('menuitem', { name: 'Delete' }).click();
  await adaPage.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(pictures(benPage)).toHaveCount(0);
  expect((await ben.fetch(url)).status).toBe(404);
});

test('if the picture cannot be deleted, the message is deleted and its author sees a quiet notice [DELETE-6, ERROR-4]', async ({
  people,
  site,
}) => {
  const { student, classId, page: first } = await aloneInAClass(people, site);
  await first.close();
  await sendPicture(student, classId, await photo(), { text: 'Away with it' });
  const page = await first.context().newPage();
  // The frame that the server sends if its disk fails.
  await page.routeWebSocket(/\/live$/, (socket) => {
    const server = socket.connectToServer();
    let rid = -1;
    socket.onMessage((text) => {
      const frame = JSON.parse(String(text)) as { type: string; rid: number };
      if (frame.type === 'delete') rid = frame.rid;
      server.send(text);
    });
    server.onMessage((text) => {
      const frame = JSON.parse(String(text)) as { type: string; rid?: number };
      const isAnswer = frame.type === 'ack' && frame.rid === rid;
      socket.send(isAnswer ? JSON.stringify({ ...frame, imageLeft: true }) : text);
    });
  });
  await page.goto(`/home/${classId}`);
  await openMenu(page, 'Away with it');
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(said(page, 'Away with it')).toHaveCount(0);
  await expect(page.getByRole('status').filter({ hasText: 'could not be deleted yet' })).toHaveText(
    'The message is deleted. Its files could not be deleted yet: the server tries again.',
  );
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
});

test('animations are still if the system asks for reduced motion [PIC-42, LAYOUT-6]', async ({
  people,
  site,
}) => {
  const { ada, ben, classId } = await twoInAClass(site);
  await sendPicture(ada, classId, await animation());
  const loadedBy = (page: Page) => {
    const urls: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('.webp')) urls.push(request.url());
    });
    return urls;
  };
  const moving = await people.newWindowOf(ben, { reducedMotion: 'no-preference' });
  await loaded(pictures(moving));
  let urls = loadedBy(moving);
  await moving.reload();
  await loaded(pictures(moving));
  expect(urls).toEqual([expect.stringMatching(/[\w-]{16}\.webp$/)]);
  const still = await people.newWindowOf(ben, { reducedMotion: 'reduce' });
  await loaded(pictures(still));
  urls = loadedBy(still);
  await still.reload();
  await loaded(pictures(still));
  expect(urls).toEqual([expect.stringMatching(/\.small\.webp$/)]);
  await pictures(still).click();
  const overlay = still.getByRole('dialog');
  await expect(overlay.locator('img')).toHaveCount(1);
  await overlay.getByRole('button', { name: 'Play' }).click();
  await expect(overlay.locator('img')).toHaveCount(2);
});
