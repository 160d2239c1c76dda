// Pictures that a member asks for and does not take.
import { writeFileSync } from 'node:fs';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { downloadsAtOnce } from '#contract/limits.ts';
import { createJpeg, postPicture, upload } from '#tests/support/pictures.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** Asks for a file and reads nothing of it after the headers. */
async function openDownload(url: string, cookie: string): Promise<ClientRequest> {
  const request = get(url, { headers: { cookie }, agent: false });
  request.on('error', () => {});
  const response = await new Promise<IncomingMessage>((resolve) =>
    request.once('response', resolve),
  );
  expect(response.statusCode).toBe(200);
  return request;
}

test('an account that leaves a hundred downloads unread gets no other, and delays no one [LIMIT-27]', async () => {
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const classId = await ada.createClass();
  await ben.join(classId);
  const { imageId, imageUrl } = await upload(ada, classId, await createJpeg());
  await postPicture(await ada.connect(), classId, imageId);
  // The picture is larger than the system's buffer of a connection.
  const file = join(app.database.settings.DATA_DIR, 'images', `${imageId}.webp`);
  writeFileSync(file, new Uint8Array(10 << 20));

  const untaken: ClientRequest[] = [];
  for (let n = 0; n < downloadsAtOnce; n++) {
    untaken.push(await openDownload(`${app.origin}${imageUrl}`, ada.cookie()));
  }

  expect((await ada.fetch(imageUrl)).status).toBe(429);
  expect((await ben.fetch(imageUrl)).status).toBe(200);
  for (const request of untaken) request.destroy();
  await vi.waitFor(async () => expect((await ada.fetch(imageUrl)).status).toBe(200));
});
