// Hostile messages with mentions, pictures and PDFs, which no browser would send.
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { accountExportSchema } from '#contract/account.ts';
import { createManyPages, createOnePage } from '#tests/support/pdf-files.ts';
import { createJpeg, postPictures, upload } from '#tests/support/pictures.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import {
  password,
  createClassWithTwoMembers,
  type TestClient,
} from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';

const app = setUpApp();
let ada: TestClient;
let ben: TestClient;
let classId: string;
let socket: TestSocket;
beforeEach(async () => {
  ({ ada, ben, classId } = await createClassWithTwoMembers(app));
  socket = await ada.connectTo(classId);
});
afterEach(() => vi.useRealTimers());

const patience = { timeout: 40_000, interval: 200 };
const listFiles = () => readdirSync(join(app.database.settings.DATA_DIR, 'images')).toSorted();
const post = (text: string, fields: object = {}) =>
  socket.request({ type: 'post', classId, id: randomUUID(), text, ...fields });

/** Counts the rows of the class. */
async function countRows(table: 'messages' | 'mentions'): Promise<number> {
  const [row] = await app.database.query(
    `select count(*) as n from ${table} where "classId" = '${classId}'`,
  );
  return Number(row!['n']);
}

test('deleting an account with its messages deletes all its pictures and PDFs [PIC-69]', async () => {
  const eve = await app.createStudent();
  await eve.join(classId);
  const filesBefore = listFiles();
  const listNewFiles = () => listFiles().filter((name) => !filesBefore.includes(name));
  const eveSocket = await eve.connectTo(classId);
  const uploads = [
    await upload(eve, classId, await createJpeg()),
    await upload(eve, classId, createManyPages(2)),
    await upload(eve, classId, await createJpeg()),
  ];
  await postPictures(eveSocket, classId, uploads, { text: 'Our sheet' });
  await postPictures(eveSocket, classId, [await upload(eve, classId, createOnePage({}))]);

  await upload(eve, classId, createOnePage({ content: '0 0 5 5 re f' }));

  expect(listNewFiles()).toHaveLength(2 * 2 + 3 * 3);

  const exported = accountExportSchema.parse(await eve.call('exportAccount', {}));
  const { messages } = exported.classes.find((classItem) => classItem.messages.length > 0)!;

  expect(messages.map(({ images }) => images.length)).toEqual([3, 1]);
  for (const { imageUrl, pdfUrl } of messages.flatMap(({ images }) => images)) {
    expect((await eve.fetch(imageUrl)).status).toBe(200);
    if (pdfUrl) expect((await eve.fetch(pdfUrl)).status).toBe(200);
  }

  await eve.call('deleteAccount', { body: { password, messages: 'delete' } });
  const { pdfUrl } = uploads[1]!;

  expect((await eve.fetch(pdfUrl!)).status).toBe(404);

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 60 * 60_000 });
  await expect.poll(async () => (await ben.fetch(pdfUrl!)).status, patience).toBe(404);

  vi.useRealTimers();
  // The collection of pictures runs when the server starts.
  await app.restart(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 60 * 60_000 });
  });
  await expect.poll(listNewFiles, patience).toEqual([]);
});

test('if a picture is sent twice and discarded simultaneously, only one call succeeds [PIC-80]', async () => {
  for (let round = 0; round < 8; round++) {
    const { imageId } = await upload(ada, classId, await createJpeg());
    const countBefore = await countRows('messages');
    const replies = await Promise.all([
      post('one', { images: [{ imageId }] }),
      post('two', { images: [{ imageId }] }),
      ada.call('deleteImage', { params: { classId, imageId } }).then(
        () => ({ type: 'discarded' }),
        () => ({ type: 'not discarded' }),
      ),
    ]);
    const acks = replies.filter(({ type }) => type === 'ack').length;
    expect(acks).toBeLessThanOrEqual(1);
    expect(await countRows('messages')).toBe(countBefore + acks);
    const countStoredFiles = () => listFiles().filter((name) => name.startsWith(imageId)).length;
    await expect.poll(countStoredFiles).toBe(acks === 1 ? 2 : 0);
    for (const reply of replies) {
      if (reply.type === 'nack') expect(reply).toMatchObject({ code: 'IMAGE_GONE' });
    }
  }
});

test.each<[string, object]>([
  ['pictures that are no list', { images: { length: 1, 0: { imageId: 'a' } } }],
  ['a picture without an id', { images: [{ alt: 'a' }] }],
  ['a picture with another field', { images: [{ imageId: 'a'.repeat(16), url: 'https://x.y' }] }],
  ['a picture whose id is a path', { images: [{ imageId: '../../etc/passwd' }] }],
  ['a description that is an object', { images: [{ imageId: 'a'.repeat(16), alt: {} }] }],
  [
    'a description that is too long',
    { images: [{ imageId: 'a'.repeat(16), alt: 'a'.repeat(501) }] },
  ],
  ['a list of mentions', { mentions: ['a'.repeat(16)] }],
  ['personas', { personas: [] }],
])('a message with %s is rejected, and the socket stays open [PIC-11]', async (_, fields) => {
  expect(await post('text', fields)).toMatchObject({ type: 'nack', code: 'INVALID' });
  expect(await post('still here')).toMatchObject({ type: 'ack' });
});
