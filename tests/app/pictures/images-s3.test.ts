// Pictures in S3. Browsers get them from the server and never contact S3.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { createOnePage } from '#tests/support/pdf-files.ts';
import { loadImageMetadata, createJpeg, postPicture, upload } from '#tests/support/pictures.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { startS3, type S3Server } from '#tests/support/s3-server.ts';

let s3: S3Server;
let app: RunningApp;
let ada: TestClient;
let bob: TestClient;
let classId: string;
let socket: TestSocket;
beforeAll(async () => {
  s3 = await startS3();
  app = await startApp(s3.settings);
});
beforeEach(async () => {
  ada = await app.createStudent();
  bob = await app.createStudent();
  classId = await ada.createClass();
  await bob.join(classId);
  socket = await ada.connectTo(classId);
});
afterAll(async () => {
  await app.stop();
  await s3.drop();
});

test('only members get pictures, from the server’s own origin [CONF-9, HTTP-14]', async () => {
  const { imageId, imageUrl, thumbUrl, storagePath } = await upload(
    ada,
    classId,
    await createJpeg(),
  );
  await postPicture(socket, classId, imageId);

  expect(s3.keys()).toContain(storagePath);
  for (const url of [imageUrl, thumbUrl]) {
    expect(url).toMatch(/^\/images\//);
    expect(await loadImageMetadata(bob, url)).toMatchObject({ format: 'webp', width: 60 });
    expect((await bob.fetch(url, { redirect: 'manual' })).status).toBe(200);
    const head = await bob.fetch(url, { method: 'HEAD' });
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
    expect((await app.visitor().fetch(url)).status).toBe(404);
    expect((await (await app.createStudent()).fetch(url)).status).toBe(404);
  }
});

test('deleting a message deletes its picture, later if S3 is down [DELETE-6, PIC-17, PIC-19]', async () => {
  const image = await upload(ada, classId, await createJpeg());
  const otherImage = await upload(ada, classId, await createJpeg());
  const firstMessageId = await postPicture(socket, classId, image.imageId);
  const secondMessageId = await postPicture(socket, classId, otherImage.imageId);

  const firstReply = await socket.request({ type: 'delete', classId, messageId: firstMessageId });

  expect(firstReply).not.toHaveProperty('imageLeft');
  expect(s3.keys().filter((key) => key.includes(image.imageId))).toEqual([]);

  await s3.stop();

  const secondReply = await socket.request({ type: 'delete', classId, messageId: secondMessageId });

  expect(secondReply).toMatchObject({ type: 'ack', imageLeft: true });
  await expect(upload(ada, classId, await createJpeg())).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  expect((await bob.fetch(otherImage.imageUrl)).status).toBe(404);

  await s3.start();
  expect(s3.keys().filter((key) => key.includes(otherImage.imageId))).toHaveLength(2);

  await app.restart();
  while (s3.keys().some((key) => key.includes(otherImage.imageId))) await sleep(10);
  const log = app.logLines.join('\n');
  expect(log).toContain('image.not-deleted');
  for (const secret of [image.imageId, otherImage.imageId, classId, s3.settings['S3_ENDPOINT']!]) {
    expect(log).not.toContain(secret);
  }
});

test('a PDF is stored in S3 with its picture, and deleted with it [CONF-9, PDF-15, PDF-17]', async () => {
  const { imageId, pdfUrl } = await upload(ada, classId, createOnePage({}));
  const messageId = await postPicture(socket, classId, imageId);

  expect(s3.keys()).toContain(`images/${imageId}.pdf`);

  const response = await bob.fetch(pdfUrl!);
  expect(response.headers.get('content-type')).toBe('application/pdf');
  expect((await response.text()).startsWith('%PDF-1.4')).toBe(true);

  await socket.request({ type: 'delete', classId, messageId });
  expect(s3.keys().filter((key) => key.includes(imageId))).toEqual([]);
});

test('the server does not start with wrong S3 keys, but starts if S3 is unreachable [CONF-9, START-5]', async () => {
  const startWith = (wrongSettings: Record<string, string>) =>
    startApp({ ...s3.settings, ...wrongSettings });
  await expect(startWith({ S3_BUCKET: 'no-such-bucket' })).rejects.toThrow(
    'The bucket of S3_BUCKET does not exist at S3_ENDPOINT. Create it first.',
  );
  await expect(startWith({ S3_SECRET_ACCESS_KEY: 'wrong' })).rejects.toThrow(
    'The S3 keys cannot read S3_BUCKET.',
  );

  const appWithoutStore = await startWith({ S3_ENDPOINT: 'http://127.0.0.1:9' });
  expect(appWithoutStore.logLines.join()).toContain('image.store-unreachable');

  await appWithoutStore.stop();
});
