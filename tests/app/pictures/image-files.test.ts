// The deletion of picture files, and failures of it.
import { mkdirSync, readdirSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { listPictureProcesses } from '#tests/support/processes.ts';
import { createJpeg, createNoise, postPicture, upload } from '#tests/support/pictures.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';

let app: RunningApp;
let ada: TestClient;
let bob: TestClient;
let classId: string;
let socket: TestSocket;
let folder: string;
beforeAll(async () => {
  app = await startApp();
  folder = join(app.database.settings.DATA_DIR, 'images');
  ada = await app.createStudent();
  bob = await app.createStudent();
  classId = await ada.createClass();
  await bob.join(classId);
  socket = await ada.connect();
});
afterEach(() => vi.useRealTimers());
afterAll(() => app.stop());

const listImageFiles = (imageId: string) =>
  readdirSync(folder).filter((name) => name.startsWith(imageId));
const listRows = async (imageId: string) =>
  app.database.query(`select * from images where "imageId" = '${imageId}'`);

/** Waits for a background task of the server. */
async function waitUntil(happened: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await happened()); tries++) {
    if (tries > 2000) throw new Error('It did not happen.');
    await sleep(10);
  }
}

async function sendPicture() {
  const { imageId, imageUrl } = await upload(ada, classId, await createJpeg());
  return { imageId, imageUrl, messageId: await postPicture(socket, classId, imageId) };
}

test('if a picture file cannot be deleted, its message is deleted and the server retries [DELETE-6, ERROR-4, ANON-3]', async () => {
  const { imageId, imageUrl, messageId } = await sendPicture();
  const countBefore = app.logLines.length;
  const bobsSocket = await bob.connectTo(classId);
  const blockingFolder = join(folder, `${imageId}.webp`);
  rmSync(blockingFolder);
  mkdirSync(blockingFolder);

  const reply = await socket.request({ type: 'delete', classId, messageId });

  expect(reply).toMatchObject({ type: 'ack', imageLeft: true });

  await bobsSocket.waitFor('events', ({ items }) => items.some(({ kind }) => kind === 'deleted'));
  const { messages } = await bob.call('listMessages', { params: { classId }, query: {} });
  expect(messages.filter(({ id }) => id === messageId)).toEqual([]);
  expect((await bob.fetch(imageUrl)).status).toBe(404);

  const lines = app.logLines
    .slice(countBefore)
    .filter((line) => line.includes('image.not-deleted'));
  expect(lines).toHaveLength(1);
  for (const mark of [imageId, classId, messageId]) expect(lines[0]).not.toContain(mark);

  await app.restart(async () => rmdirSync(blockingFolder));
  await waitUntil(async () => (await listRows(imageId)).length === 0);

  expect(listImageFiles(imageId)).toEqual([]);

  socket = await ada.connect();
});

test('the server deletes an unsent upload after an hour, and never a sent one [PIC-14]', async () => {
  const unsent = await upload(ada, classId, await createJpeg());
  const { imageId: sentId, imageUrl } = await sendPicture();
  const now = Date.now();
  const restartAfter = async (minutes: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now: now + minutes * 60_000 });
    await app.restart();
    socket = await ada.connect();
  };

  const [row] = await listRows(unsent.imageId);

  // The time is rounded to a quarter of an hour, so that it matches no message or join time.
  expect(Number(row!['expiresAt']) % (15 * 60_000)).toBe(0);

  await restartAfter(59);
  expect((await ada.fetch(unsent.imageUrl)).status).toBe(200);

  await restartAfter(76);
  await waitUntil(async () => (await listRows(unsent.imageId)).length === 0);
  expect(listImageFiles(unsent.imageId)).toEqual([]);
  await expect(postPicture(socket, classId, unsent.imageId)).rejects.toMatchObject({
    code: 'IMAGE_GONE',
  });
  expect(listImageFiles(sentId)).toHaveLength(2);
  expect((await listRows(sentId))[0]!).toMatchObject({ status: 'sent', expiresAt: null });
  expect((await bob.fetch(imageUrl)).status).toBe(200);
});

test('a missing picture file is a 404 and not a server error [PIC-37]', async () => {
  const { imageId, imageUrl } = await sendPicture();
  const countBefore = app.logLines.length;
  for (const name of listImageFiles(imageId)) rmSync(join(folder, name));

  const response = await bob.fetch(imageUrl);

  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' });
  expect((await bob.fetch(imageUrl, { method: 'HEAD' })).status).toBe(404);
  expect(app.logLines.slice(countBefore)).toEqual([]);
});

test('a rejected upload leaves no data [PIC-17, ERROR-6]', async () => {
  const listDue = () => app.database.query("select * from images where status = 'deleted'");
  const earlier = (await listDue()).map(({ imageId }) => imageId);
  rmSync(folder, { recursive: true });
  // The disk has space, but the folder of pictures is gone.
  writeFileSync(folder, '');
  const rejection = { code: 'UNAVAILABLE' };

  await expect(upload(ada, classId, await createJpeg())).rejects.toMatchObject(rejection);

  rmSync(folder);
  mkdirSync(folder);
  const { imageUrl } = await sendPicture();
  expect((await bob.fetch(imageUrl)).status).toBe(200);

  const due = (await listDue()).filter(({ imageId }) => !earlier.includes(imageId));
  expect(due).toHaveLength(1);

  await app.restart();
  socket = await ada.connect();
  await waitUntil(async () => (await listRows(String(due[0]!['imageId']))).length === 0);
});

test('the rows of one file in two classes have no common value [ANON-3, ANON-6]', async () => {
  const file = await createJpeg();
  const firstImage = await upload(ada, classId, file);
  const secondImage = await upload(ada, await ada.createClass(), file);

  const [firstRow] = await listRows(firstImage.imageId);
  const [secondRow] = await listRows(secondImage.imageId);

  for (const key of ['imageId', 'classId', 'memberId', 'digest']) {
    expect(firstRow![key], key).not.toBe(secondRow![key]);
  }
});

test('the server keeps running when its picture process ends at any time [PIC-8]', async () => {
  const large = await (await createNoise(4000, 3000)).jpeg().toBuffer();

  await upload(ada, classId, await createJpeg());

  const [worker] = listPictureProcesses();
  expect(worker!.niceness).toBe(10);

  const idle = worker!.busyTicks;
  const uploading = upload(ada, classId, large);
  const outcome = uploading.catch((error: unknown) => error);
  await waitUntil(() => listPictureProcesses()[0]!.busyTicks > idle + 10);
  const waiting = upload(bob, classId, await createJpeg());
  process.kill(worker!.pid, 'SIGKILL');
  expect(await outcome).toMatchObject({ code: 'IMAGE_BROKEN' });
  expect(await waiting).toMatchObject({ width: 60 });
  expect(app.logLines.filter((line) => line.includes('image.process-died'))).toHaveLength(1);
  expect(listPictureProcesses().map(({ pid }) => pid)).not.toContain(worker!.pid);
});
