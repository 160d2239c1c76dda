// PDFs in messages, as clients send and receive them.
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PDFDocument } from 'mupdf';
import { beforeAll, expect, test } from 'vitest';
import { accountExportSchema } from '#contract/account.ts';
import { toRouteUrl } from '#contract/routes.ts';
import { createEndlessPdf } from '#tests/support/hostile-pdfs.ts';
import { createManyPages, createOnePage } from '#tests/support/pdf-files.ts';
import {
  loadImageMetadata,
  createJpeg,
  postPictures,
  sendFile,
  upload,
} from '#tests/support/pictures.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';

const app = setUpApp({ LIMITS: 'pdfSeconds=1/1h' });
let ada: TestClient;
let ben: TestClient;
let classId: string;
let socket: TestSocket;
beforeAll(async () => {
  ({ ada, ben, classId } = await createClassWithTwoMembers(app));
  socket = await ada.connectTo(classId);
});

const listImageFiles = (imageId: string) =>
  readdirSync(join(app.database.settings.DATA_DIR, 'images')).filter((name) =>
    name.startsWith(imageId),
  );

async function getNewestMessage() {
  const { messages } = await ben.call('listMessages', { params: { classId }, query: {} });
  return messages.at(-1)!;
}

test('a member sends a PDF, and others see its first page and download it [PDF-1, PDF-12, PDF-15]', async () => {
  const image = await upload(ada, classId, createManyPages(3));

  const { imageId, imageUrl, thumbUrl, pdfUrl } = image;
  expect(image).toMatchObject({ pages: 3, pdfUrl: `/images/${imageId}.pdf`, animated: false });
  expect((await ben.fetch(pdfUrl!)).status).toBe(404);

  await postPictures(socket, classId, [{ imageId, alt: 'Sheet 1' }]);
  const { images } = await getNewestMessage();
  expect(images).toMatchObject([{ imageUrl, thumbUrl, pdfUrl, pages: 3, alt: 'Sheet 1' }]);
  const { width } = image;
  expect(await loadImageMetadata(ben, imageUrl)).toMatchObject({ format: 'webp', width });

  const response = await ben.fetch(pdfUrl!);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': 'attachment; filename="document.pdf"',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  });

  const file = new PDFDocument(Buffer.from(await response.arrayBuffer()));
  expect(file.countPages()).toBe(3);

  const head = await ben.fetch(pdfUrl!, { method: 'HEAD' });
  expect(head.headers.get('content-length')).toBe(response.headers.get('content-length'));
});

test('only members can download a PDF [PDF-1, PDF-15]', async () => {
  const { imageId, pdfUrl } = await upload(ada, classId, createOnePage({}));
  await postPictures(socket, classId, [{ imageId }]);
  const eve = await app.createStudent();

  for (const other of [eve, app.visitor()]) {
    expect((await other.fetch(pdfUrl!)).status).toBe(404);
  }

  await eve.join(classId);
  expect((await eve.fetch(pdfUrl!)).status).toBe(200);

  const picture = await upload(ada, classId, await createJpeg());
  expect(picture).not.toHaveProperty('pages');
  expect((await ada.fetch(`/images/${picture.imageId}.pdf`)).status).toBe(404);
  expect((await ada.fetch(`/images/${imageId}.small.pdf`)).status).toBe(404);
});

test('a message can have pictures and PDFs, and a quote counts both [PDF-12, PDF-16]', async () => {
  const picture = await upload(ada, classId, await createJpeg());
  const pdf = await upload(ada, classId, createOnePage({}));
  const id = await postPictures(socket, classId, [picture, pdf]);

  expect((await getNewestMessage()).images.map(({ pages }) => pages)).toEqual([undefined, 1]);

  const benSocket = await ben.connectTo(classId);
  await benSocket.request({ type: 'post', classId, id: randomUUID(), text: 'Thanks', replyTo: id });
  expect((await getNewestMessage()).quote).toMatchObject({ imageCount: 2, pdfCount: 1 });
});

test('deleting the message or the upload deletes all files of a PDF [PDF-12]', async () => {
  const { imageId, pdfUrl } = await upload(ada, classId, createOnePage({}));
  const messageId = await postPictures(socket, classId, [{ imageId }]);
  const names = ['pdf', 'small.webp', 'webp'].map((ending) => `${imageId}.${ending}`);

  expect(listImageFiles(imageId).toSorted()).toEqual(names);
  expect(await socket.request({ type: 'delete', classId, messageId })).toMatchObject({
    type: 'ack',
  });
  expect(listImageFiles(imageId)).toEqual([]);
  expect((await ben.fetch(pdfUrl!)).status).toBe(404);

  const unsent = await upload(ada, classId, createOnePage({}));
  await ada.call('deleteImage', { params: { classId, imageId: unsent.imageId } });

  expect(listImageFiles(unsent.imageId)).toEqual([]);
});

test('the stored size of a PDF counts all of its files [PDF-12]', async () => {
  const { imageId, imageUrl, thumbUrl, pdfUrl } = await upload(ada, classId, createManyPages(5));
  let total = 0;
  for (const url of [imageUrl, thumbUrl, pdfUrl!]) {
    total += (await (await ada.fetch(url)).arrayBuffer()).byteLength;
  }
  const [row] = await app.database.query(`select bytes from images where "imageId" = '${imageId}'`);

  expect(Number(row!['bytes'])).toBe(total);
});

test('the export of an account has the URL and the title of each PDF [PDF-12, PDF-23]', async () => {
  const cleo = await app.createStudent();
  await cleo.join(classId);
  const { imageId, imageUrl, pdfUrl } = await upload(cleo, classId, createOnePage({}));

  await postPictures(await cleo.connectTo(classId), classId, [{ imageId, alt: 'My solution' }]);

  const file = accountExportSchema.parse(await cleo.call('exportAccount', {}));
  const images = [{ imageUrl, pdfUrl, alt: 'My solution' }];
  expect(file.classes[0]!.messages).toMatchObject([{ images }]);
});

test('a PDF that cannot be redrawn is rejected with the reason and leaves no data [PDF-10, PDF-11]', async () => {
  const rowsBefore = await app.database.query('select * from images');
  await expect(upload(ada, classId, Buffer.from('%PDF-1.7\nnothing'))).rejects.toMatchObject({
    code: 'PDF_BROKEN',
    message: 'This PDF is damaged. Export it again or choose another one.',
  });
  await expect(upload(ada, classId, createManyPages(201))).rejects.toMatchObject({
    code: 'PDF_TOO_MANY_PAGES',
  });
  expect(await app.database.query('select * from images')).toEqual(rowsBefore);
});

test('a fourth simultaneous PDF of an account is rejected, and a picture is not [PDF-9, PDF-22]', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const responses: Promise<Response>[] = [];
  for (let n = 0; n < 4; n++) {
    const member = await app.createStudent();
    await member.join(classId);
    const url = toRouteUrl('uploadImage', { params: { classId } });
    const body = new Uint8Array(createEndlessPdf());
    responses.push(member.fetch(url, { method: 'POST', body, signal }));
  }

  const rejection = await Promise.race(responses);

  expect(rejection.status).toBe(503);
  expect(await rejection.json()).toEqual({
    code: 'PDF_BUSY',
    message: 'The server is busy with other PDFs. Please try again in a minute.',
  });
  expect((await sendFile(ben, classId, await createJpeg())).status).toBe(200);

  controller.abort();
  await Promise.allSettled(responses);
  const getStatus = async () => (await sendFile(ben, classId, createOnePage({}))).status;
  await expect.poll(getStatus, { timeout: 10_000 }).toBe(200);
});
