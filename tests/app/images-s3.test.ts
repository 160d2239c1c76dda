// Pictures in S3. Browsers get them from the server and never contact S3.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveEnd, Student } from '../../scripts/student.ts';
import { imageFile, jpeg, postPicture, upload } from './pictures.ts';
import { ask, joinClass, newClass, startApp, type RunningApp } from './running-app.ts';
import { startS3, type S3Server } from './s3-server.ts';

let s3: S3Server;
let app: RunningApp;
let ada: Student;
let bob: Student;
let classId: string;
let live: LiveEnd;
beforeAll(async () => {
  s3 = await startS3();
  app = await startApp(s3.settings);
  ada = await app.newStudent();
  bob = await app.newStudent();
  classId = await newClass(ada);
  await joinClass(bob, classId);
  live = await ada.connect();
});
afterAll(async () => {
  await app.stop();
  await s3.drop();
});

test('members get pictures from our own origin, and other people get nothing [CONF-9, HTTP-14]', async () => {
  const { imageId, imageUrl, thumbUrl, storagePath } = await upload(ada, classId, await jpeg());
  await postPicture(live, classId, imageId);
  expect(s3.keys()).toContain(storagePath);
  for (const url of [imageUrl, thumbUrl]) {
    expect(url).toMatch(/^\/images\//);
    expect(await imageFile(bob, url)).toMatchObject({ format: 'webp', width: 60 });
    expect((await bob.fetch(url, { redirect: 'manual' })).status).toBe(200);
    const head = await bob.fetch(url, { method: 'HEAD' });
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
    expect((await app.visitor().fetch(url)).status).toBe(404);
    expect((await (await app.newStudent()).fetch(url)).status).toBe(404);
  }
});

test('deleting a message deletes its picture, later if S3 is down [DELETE-6, PIC-17, PIC-19]', async () => {
  const one = await upload(ada, classId, await jpeg());
  const other = await upload(ada, classId, await jpeg());
  const first = await postPicture(live, classId, one.imageId);
  const second = await postPicture(live, classId, other.imageId);
  const gone = await ask(live, { type: 'delete', classId, messageId: first });
  expect(gone).not.toHaveProperty('imageLeft');
  expect(s3.keys().filter((key) => key.includes(one.imageId))).toEqual([]);

  await s3.stop();
  const left = await ask(live, { type: 'delete', classId, messageId: second });
  expect(left).toMatchObject({ type: 'ack', imageLeft: true });
  await expect(upload(ada, classId, await jpeg())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect((await bob.fetch(other.imageUrl)).status).toBe(404);
  await s3.start();
  expect(s3.keys().filter((key) => key.includes(other.imageId))).toHaveLength(2);
  await app.restart();
  while (s3.keys().some((key) => key.includes(other.imageId))) await sleep(10);
  const log = app.logLines.join('\n');
  expect(log).toContain('image.not-deleted');
  for (const secret of [one.imageId, other.imageId, classId, s3.settings['S3_ENDPOINT']!]) {
    expect(log).not.toContain(secret);
  }
});

test('wrong S3 keys or a wrong bucket prevent the start, but an unreachable S3 does not [CONF-9, START-5]', async () => {
  const starting = (wrong: Record<string, string>) => startApp({ ...s3.settings, ...wrong });
  await expect(starting({ S3_BUCKET: 'no-such-bucket' })).rejects.toThrow(
    'S3_BUCKET names no bucket at S3_ENDPOINT. Make it first.',
  );
  await expect(starting({ S3_SECRET_ACCESS_KEY: 'wrong' })).rejects.toThrow(
    'S3 does not let these keys read S3_BUCKET.',
  );
  const without = await starting({ S3_ENDPOINT: 'http://127.0.0.1:9' });
  expect(without.logLines.join()).toContain('image.store-unreachable');
  await without.stop();
});
