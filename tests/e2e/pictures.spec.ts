import type { Page, Response } from '@playwright/test';
import sharp from 'sharp';

import type { Upload } from '#tests/support/pictures.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { avifFiles } from './avif-files.ts';
import { expect, signIn, test } from './fixtures.ts';
import {
  createAnimation,
  choose,
  chooseAndUpload,
  dragOver,
  expectLoaded,
  paste,
  createPhoto,
  findPictures,
  createPlainPicture,
  sendPicture,
  findStagedPictures,
  type PictureFile,
} from './picture-files.ts';
import {
  openClassAlone,
  findComposer,
  findDelivery,
  meet,
  findMessage,
  findRoom,
  say,
} from './room.ts';

const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true }).click();
const findProblem = (page: Page) => page.getByRole('alert').filter({ hasText: /./ });

type SizedUpload = Upload & { bytes: number };

/** Collects what the server makes of each upload, and how many bytes it got. */
function collectUploads(page: Page): SizedUpload[] {
  const uploads: SizedUpload[] = [];
  const add = async (response: Response) => {
    const { 'content-length': bytes } = await response.request().allHeaders();
    uploads.push({ ...((await response.json()) as Upload), bytes: Number(bytes) });
  };
  page.on('response', (response) => {
    if (response.url().endsWith('/images')) void add(response);
  });
  return uploads;
}

/** Holds each upload until the returned function is called. */
async function holdUploads(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/api/classes/*/images', async (route) => {
    await promise;
    await route.continue().catch(() => undefined);
  });
  return resolve;
}

test('a member describes and sends a picture, and both members see it [CHAT-4, SEND-1, SEND-3, SEND-18, PIC-31, PIC-35, PIC-1]', async ({
  windows,
  site,
}) => {
  const { ada, classId, adaPage, benPage } = await meet(windows, site);
  const requestData: string[] = [];
  adaPage.on('request', (request) => {
    if (request.url().endsWith('/images')) {
      requestData.push(JSON.stringify(request.headers()), String(request.postDataBuffer()));
    }
  });
  await choose(adaPage, await createPhoto(600, 400));
  await expect(findStagedPictures(adaPage).locator('img')).toBeVisible();
  await findStagedPictures(adaPage)
    .getByLabel('Description of the picture')
    .fill('A board full of proofs');
  await findComposer(adaPage).fill('From today');
  await send(adaPage);
  await expect(findStagedPictures(adaPage)).toHaveCount(0);
  await expect(findComposer(adaPage)).toHaveValue('');
  for (const page of [adaPage, benPage]) {
    const picture = findMessage(page, 'From today').getByRole('button', {
      name: 'Picture: A board full of proofs',
    });
    await expect(picture).toBeVisible();
    await expectLoaded(picture);
  }
  const { messages } = await ada.call('listMessages', { params: { classId }, query: {} });
  const { imageUrl, storagePath, images } = messages[0]!;
  expect(imageUrl).toMatch(/^\/images\/[\w-]{16}\.webp$/);
  expect(storagePath).toBe(imageUrl?.slice(1));
  expect(images).toMatchObject([{ width: 600, height: 400, alt: 'A board full of proofs' }]);
  expect(requestData).toHaveLength(2);
  expect(requestData.join()).not.toContain('Lovelace');

  await choose(adaPage, await createPhoto());
  await expect(findStagedPictures(adaPage)).toBeVisible();
  await findComposer(adaPage).press('Enter');
  await expect(findPictures(benPage)).toHaveCount(2);
  await expect(benPage.getByRole('log')).toContainText('Anonymous: Picture');
  await expect(findRoom(benPage).getByRole('article').last()).toHaveAccessibleName(
    /Anonymous, .*: Picture$/,
  );
  const reply = await ada.call('listMessages', { params: { classId }, query: {} });
  expect(reply.messages.at(-1)).toMatchObject({ text: '' });
});

test('an upload shows its progress, and the member can send before it ends [PIC-31, PIC-36, PIC-90, PIC-91, SEND-7]', async ({
  windows,
  site,
}) => {
  const { student, classId, page } = await openClassAlone(windows, site);
  const letGo = await holdUploads(page);
  await choose(page, await createPhoto());
  await expect(findStagedPictures(page).getByRole('progressbar')).toBeVisible();
  await expect(findStagedPictures(page)).toContainText(/Uploading… \d+%/);
  await findComposer(page).fill('on its way');
  await send(page);
  await expect(findStagedPictures(page)).toHaveCount(0);
  const ownMessage = findMessage(page, 'on its way');
  await expect(ownMessage.getByRole('img', { name: 'Picture' })).toBeVisible();
  await expect(ownMessage.getByRole('progressbar')).toBeVisible();
  await expect(findDelivery(page, 'on its way')).toHaveAttribute('aria-busy', 'true');
  await expect(ownMessage).toContainText(/\d\.\d of 0\.\d MB uploaded/);
  await expect(ownMessage.getByRole('button', { name: 'Cancel' })).toBeVisible();
  await say(page, 'WAIT, the exam moved');
  await expect(findDelivery(page, 'the exam moved')).toHaveAttribute('aria-busy', 'false');
  await expect(findRoom(page).getByRole('article').last()).toContainText('on its way');

  const height = (await ownMessage.boundingBox())?.height;
  const ownImage = await ownMessage.locator('img').elementHandle();
  const { promise: comes, resolve: letCome } = Promise.withResolvers<void>();
  await page.route('**/*.webp', async (route) => {
    await comes;
    await route.continue().catch(() => undefined);
  });
  letGo();
  await expect(findDelivery(page, 'on its way')).toHaveAttribute('aria-busy', 'false');
  await expect(ownMessage.getByRole('button', { name: 'Cancel' })).toHaveCount(0);
  // The message is acknowledged and the server's version is arriving. The local picture stays unchanged.
  await expect(ownMessage.locator('img')).toHaveCount(2);
  expect(await ownImage?.evaluate((image) => image.isConnected && image.checkVisibility())).toBe(
    true,
  );
  letCome();
  await expect(ownMessage.locator('img')).toHaveCount(1);
  await expectLoaded(ownMessage.getByRole('button', { name: 'Picture' }));
  expect((await ownMessage.boundingBox())?.height).toBe(height);
  const reply = await student.call('listMessages', { params: { classId }, query: {} });
  expect(reply.messages.map(({ text, images }) => [text, images.length])).toEqual([
    ['WAIT, the exam moved', 0],
    ['on its way', 1],
  ]);
});

test('a large photo travels as a smaller copy, unless the member chooses the original by keyboard [PIC-92, PIC-70]', async ({
  windows,
  site,
}) => {
  const { page } = await openClassAlone(windows, site);
  const uploads = collectUploads(page);
  const original = findStagedPictures(page).getByRole('checkbox', {
    name: /^Original, \d\.\d MB$/,
  });
  const create = { width: 2000, height: 1500, channels: 3, background: '#36507e' } as const;
  const buffer = await sharp({ create })
    .jpeg({ quality: 95 })
    // The camera was turned by a quarter.
    .withMetadata({ orientation: 6 })
    .toBuffer();

  await choose(page, { name: 'large.jpg', mimeType: 'image/jpeg', buffer });
  await expect.poll(() => uploads).toMatchObject([{ width: 1200, height: 1600 }]);
  expect(uploads[0]?.bytes).toBeLessThan(buffer.length);
  await expect(original).not.toBeChecked();
  await original.press('Space');
  await expect.poll(() => uploads[1]).toMatchObject({ width: 1500, height: 2000 });
  expect(uploads[1]?.bytes).toBe(buffer.length);
  await expect(original).toBeChecked();
  await expect(original).toBeFocused();
  await page.reload();
  await expect(original).toBeChecked();
  await original.press('Space');
  await expect.poll(() => uploads.at(-1)).toMatchObject({ width: 1200, height: 1600 });
});

test('a small photo, a long screenshot and animations travel as they are [PIC-92, PIC-6]', async ({
  windows,
  site,
}) => {
  const { page } = await openClassAlone(windows, site);
  const uploads = collectUploads(page);
  const animation = await createAnimation(1700, 1000);
  const animatedWebp = await sharp(animation.buffer, { animated: true }).webp().toBuffer();
  const files = [
    await createPhoto(1600, 90),
    await createPhoto(640, 1610),
    animation,
    { name: 'moves.webp', mimeType: 'image/webp', buffer: animatedWebp },
  ];

  await choose(page, ...files);

  await expect(findStagedPictures(page).getByRole('listitem')).toHaveCount(4);
  await expect.poll(() => uploads.length).toBe(4);
  expect(uploads.map(({ bytes }) => bytes)).toEqual(files.map(({ buffer }) => buffer.length));
  expect(uploads.map(({ animated }) => animated)).toEqual([false, false, true, true]);
  await expect(findStagedPictures(page).getByRole('checkbox', { name: /^Original/ })).toHaveCount(
    0,
  );

  // Tor Browser returns something else than the drawn picture.
  await page.evaluate(() => {
    CanvasRenderingContext2D.prototype.getImageData = () => new ImageData(4, 4);
  });
  const plain = await createPlainPicture(2000, 1500);
  await choose(page, plain);
  await expect.poll(() => uploads.at(4)?.bytes).toBe(plain.buffer.length);
});

test('a pasted or dropped picture is staged, and deleted when it is removed [CHAT-4, PIC-31, PIC-36, PIC-72]', async ({
  windows,
  site,
}) => {
  const { student, classId, page } = await openClassAlone(windows, site);
  const { imageUrl } = await chooseAndUpload(page, await createPhoto());
  expect((await student.fetch(imageUrl)).status).toBe(200);
  await findStagedPictures(page).getByRole('button', { name: 'Remove picture' }).click();
  await expect(findStagedPictures(page)).toHaveCount(0);
  await expect(findComposer(page)).toBeFocused();
  await expect.poll(async () => (await student.fetch(imageUrl)).status).toBe(404);
  await say(page, 'text alone');
  await expect(findDelivery(page, 'text alone')).toHaveAttribute('aria-busy', 'false');
  const { messages } = await student.call('listMessages', { params: { classId }, query: {} });
  expect(messages).toMatchObject([{ text: 'text alone', images: [] }]);

  await paste(page, await createPhoto());
  await expect(findStagedPictures(page)).toBeVisible();
  await findStagedPictures(page).getByRole('button', { name: 'Remove picture' }).click();

  // Spreadsheets copy a cell as text and as an image of itself.
  await paste(page, await createPhoto(), 'a cell');
  const data = await dragOver(page, await createPhoto());
  await expect(page.getByText('Drop pictures or PDFs to add them to your message')).toBeVisible();
  await expect(findStagedPictures(page)).toHaveCount(0);
  await page.getByRole('main').dispatchEvent('drop', { dataTransfer: data });
  await expect(page.getByText('Drop pictures or PDFs to add them to your message')).toHaveCount(0);
  await expect(findStagedPictures(page)).toBeVisible();
  await findStagedPictures(page).getByRole('button', { name: 'Remove picture' }).click();

  const avif = Buffer.from(avifFiles['transparent']!.base64, 'base64');
  await paste(page, { name: 'x.avif', mimeType: 'image/avif', buffer: avif });
  await expect(findStagedPictures(page).locator('img')).toBeVisible();
  await findStagedPictures(page).getByRole('button', { name: 'Remove picture' }).click();

  // A picture that only the server can read is a plain tile.
  await holdUploads(page);
  const buffer = Buffer.from('what only the server understands');
  await choose(page, { name: 'x.webp', mimeType: 'image/webp', buffer });
  await expect(findStagedPictures(page)).toBeVisible();
  await expect(findStagedPictures(page).locator('img')).toHaveCount(0);
  await expect(findStagedPictures(page).locator('svg').first()).toBeVisible();
});

/** The approximate colors of the four corners, one letter each. */
async function describeCorners(file: Buffer): Promise<string> {
  const { data, info } = await sharp(file)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const describe = (x: number, y: number) => {
    const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray((y * info.width + x) * 4);
    if (alpha < 100) return '-';
    if (red > 200 && green > 200 && blue > 200) return 'w';
    if (red > 150) return 'r';
    if (green > 150) return 'g';
    return blue > 150 ? 'b' : '?';
  };
  const right = info.width - 5;
  const bottom = info.height - 5;
  return describe(5, 5) + describe(right, 5) + describe(5, bottom) + describe(right, bottom);
}

async function drop(page: Page, file: PictureFile): Promise<void> {
  const dataTransfer = await dragOver(page, file);
  await page.getByRole('main').dispatchEvent('drop', { dataTransfer });
}

test('the browser converts a chosen or dropped AVIF, without its metadata [PIC-79, ANON-3]', async ({
  windows,
  site,
}) => {
  const { student, page } = await openClassAlone(windows, site);
  const uploads = collectUploads(page);
  const bodies: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/images')) bodies.push(String(request.postDataBuffer()));
  });
  const toFile = (buffer: Buffer) => ({ name: 'MARK.avif', mimeType: 'image/avif', buffer });
  const create = { width: 80, height: 60, channels: 3, background: '#f00' } as const;
  const marked = await sharp({ create })
    .withExif({ IFD0: { Artist: 'MARK' } })
    .avif({ effort: 0 })
    .toBuffer();
  const markedTwice = Buffer.concat([marked, Buffer.from('MARK behind the end')]);
  const pictures = [
    ...Object.values(avifFiles).map(({ base64, ...shown }) => ({
      ...shown,
      file: toFile(Buffer.from(base64, 'base64')),
    })),
    { corners: 'rrrr', width: 80, height: 60, file: toFile(markedTwice) },
  ];
  for (const [n, { file, corners, width, height }] of pictures.entries()) {
    await (n === 0 ? choose(page, file) : drop(page, file));
    await expect.poll(() => uploads[n]).toMatchObject({ width, height });
    const stored = await student.fetch(uploads[n]!.imageUrl);
    expect(await describeCorners(Buffer.from(await stored.arrayBuffer())), String(n)).toBe(corners);
  }

  expect(bodies.join()).not.toMatch(/MARK|ftyp/);
  await expect(findStagedPictures(page).locator('img')).toHaveCount(pictures.length);
  await findComposer(page).fill('the text');
  // A browser that resists fingerprinting, such as Tor Browser, cannot convert.
  await page.evaluate(() => {
    CanvasRenderingContext2D.prototype.getImageData = () => new ImageData(4, 4);
  });
  await drop(page, toFile(marked));
  await expect(findProblem(page)).toHaveText(
    'This browser cannot read this picture (HEIC or AVIF). Please export it as JPEG and add it again.',
  );
  await expect(findComposer(page)).toHaveValue('the text');
});

test('a picture reserves its space and shows its placeholder before it loads [CHAT-9, PIC-36, PIC-37]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await sendPicture(ada, classId, await createPlainPicture(900, 600), { text: 'look' });
  const page = await windows.openWindowAs(ben);
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>();
  await page.route('**/*.webp', async (route) => {
    await gate;
    await route.continue().catch(() => undefined);
  });
  await page.goto(`/home/${classId}`);
  const picture = findPictures(page);
  await expect(picture.locator('canvas')).toBeVisible();
  // About #36507e.
  const measureDifference = () =>
    picture.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas
        .getContext('2d')!
        .getImageData(canvas.width / 2, canvas.height / 2, 1, 1);
      const expected = [0x36, 0x50, 0x7e, 0xff];
      return Math.max(...expected.map((value, n) => Math.abs(value - data[n]!)));
    });
  await expect.poll(measureDifference).toBeLessThan(16);
  const boxBefore = await picture.boundingBox();
  expect(boxBefore!.width / boxBefore!.height).toBeCloseTo(1.5, 1);
  letGo();
  await expectLoaded(picture);
  await expect(picture.locator('canvas')).toHaveCount(0);
  expect(await picture.boundingBox()).toEqual(boxBefore);
  await page.unroute('**/*.webp');

  windows.expectConsoleError('404 (Not Found)');
  windows.expectConsoleError('ERR_FAILED');
  await page.route('**/*.webp', (route) => route.fulfill({ status: 404 }));
  await page.reload();
  await expect(findRoom(page).getByText('This picture is no longer available')).toBeVisible();
  await page.unroute('**/*.webp');
  await page.route('**/*.webp', (route) => route.abort());
  await page.reload();
  const retry = findRoom(page).getByRole('button', { name: 'Not loaded. Retry' });
  await expect(retry).toBeVisible();
  await page.unroute('**/*.webp');
  await retry.click();
  await expectLoaded(findPictures(page));
});

test('an animated picture is still if the system asks for reduced motion [PIC-42, LAYOUT-6]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  await sendPicture(student, classId, await createAnimation());
  const page = await windows.openWindow({ reducedMotion: 'no-preference' });
  let urls: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('.webp')) urls.push(request.url());
  });
  await signIn(page, student);
  await expectLoaded(findPictures(page));
  expect(urls).toEqual([expect.stringMatching(/[\w-]{16}\.webp$/)]);

  urls = [];
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.reload();
  await expectLoaded(findPictures(page));
  expect(urls).toEqual([expect.stringMatching(/\.small\.webp$/)]);
  await findPictures(page).click();
  const overlay = page.getByRole('dialog');
  await expect(overlay.locator('img')).toHaveCount(1);
  await overlay.getByRole('button', { name: 'Play' }).click();
  await expect(overlay.locator('img')).toHaveCount(2);
});
