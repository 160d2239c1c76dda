// Pictures in S3. Browsers get them from the server and never contact S3.
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

test('only members get pictures, from the server’s own origin [CONF-9, HTTP-3]', async () => {
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

test('a PDF is stored in S3 with its picture, and deleted with it [CONF-9, PDF-15, PDF-12]', async () => {
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
