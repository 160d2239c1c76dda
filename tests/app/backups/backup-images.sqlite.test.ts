// Backup and restore of pictures.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { createOnePage } from '#tests/support/pdf-files.ts';
import { loadImageMetadata, createJpeg, postPicture, upload } from '#tests/support/pictures.ts';
import { runCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';

let app: RunningApp;
let ada: TestClient;
let socket: TestSocket;
let classId: string;
let file: string;
let folder: string;
beforeEach(async () => {
  app = await startApp();
  const { DATA_DIR: dir } = app.database.settings;
  file = join(dir, 'monday');
  folder = join(dir, 'images');
  ada = await app.createStudent();
  socket = await ada.connect();
  classId = await ada.createClass();
});
afterEach(() => app.stop());

const run = (command: 'backup' | 'restore', settings = {}) =>
  runCommand(command, [file], { ...app.database.settings, ...settings });

async function sendPicture() {
  const picture = await upload(ada, classId, await createJpeg());
  return { ...picture, messageId: await postPicture(socket, classId, picture.imageId) };
}

test('a backup contains the pictures and PDFs, and a restore brings back missing ones [BACKUP-8, BACKUP-2, PIC-37, PDF-12]', async () => {
  const keptPicture = await sendPicture();
  const lostPicture = await sendPicture();
  const pdf = await upload(ada, classId, createOnePage({}));

  await postPicture(socket, classId, pdf.imageId);
  expect(await run('backup')).toMatchObject({ code: 0 });

  const copies = readdirSync(`${file}.images`);
  expect(copies).toHaveLength(7);
  expect(statSync(`${file}.images`).mode & 0o077).toBe(0);
  for (const name of copies) expect(statSync(join(`${file}.images`, name)).mode & 0o077).toBe(0);

  const laterPicture = await sendPicture();
  await app.restart(async () => {
    for (const name of readdirSync(folder)) {
      if (name.startsWith(lostPicture.imageId) || name.endsWith('.pdf')) rmSync(join(folder, name));
    }
    const { code, output } = await run('restore');
    expect(output).toContain('is the database now');
    expect(code).toBe(0);
  });
  for (const { imageUrl, thumbUrl } of [keptPicture, lostPicture]) {
    expect(await loadImageMetadata(ada, imageUrl)).toMatchObject({ width: 60 });
    expect(await loadImageMetadata(ada, thumbUrl)).toMatchObject({ width: 60 });
  }
  expect((await ada.fetch(pdf.pdfUrl!)).headers.get('content-type')).toBe('application/pdf');
  expect((await ada.fetch(laterPicture.imageUrl)).status).toBe(404);
});

test('a backup does not overwrite the pictures of another one [BACKUP-8, BACKUP-1]', async () => {
  expect(await run('backup')).toMatchObject({ code: 0 });
  expect((await run('backup')).code).toBe(1);

  rmSync(file);
  expect(existsSync(`${file}.images`)).toBe(false);

  mkdirSync(`${file}.images`);
  const { code, output } = await run('backup');
  expect(output).toMatch(/^Cannot back up: .*monday.images exists already. Name another file.$/);
  expect(code).toBe(1);
  expect(existsSync(file)).toBe(false);
});

test('a picture that cannot be copied leaves no backup, and a restore changes nothing [BACKUP-1, BACKUP-5, BACKUP-8]', async () => {
  await sendPicture();
  const brokenFile = join(folder, 'broken.webp');
  mkdirSync(brokenFile);

  expect((await run('backup')).output).toMatch(/^Cannot back up: /);
  expect(existsSync(file)).toBe(false);

  rmSync(brokenFile, { recursive: true });
  rmSync(`${file}.images`, { recursive: true });
  expect(await run('backup')).toMatchObject({ code: 0 });

  mkdirSync(join(`${file}.images`, 'broken.webp'));
  await ada.post(classId, 'after the backup');
  await app.restart(async () => {
    expect((await run('restore')).output).toMatch(/^Cannot restore: /);
  });
  const { messages } = await ada.snapshot(classId);
  expect(messages.at(-1)?.text).toBe('after the backup');
});

test('the backup command says that pictures in S3 are not in the backup [BACKUP-8]', async () => {
  const s3 = { S3_BUCKET: 'pictures', S3_ACCESS_KEY_ID: 'x', S3_SECRET_ACCESS_KEY: 'y' };

  const { code, output } = await run('backup', s3);

  expect(output).toContain('The pictures are in S3, and not in it.');
  expect(code).toBe(0);
  expect(existsSync(`${file}.images`)).toBe(false);
});
