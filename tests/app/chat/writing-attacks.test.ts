// Messages with mentions, pictures and PDFs that no browser sends, or at moments that no browser chooses.
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { accountExportSchema } from '#contract/account.ts';
import { limits } from '#contract/limits.ts';
import { toMentionToken } from '#contract/mentions.ts';
import { createManyPages, createOnePage } from '#tests/support/pdf-files.ts';
import { createJpeg, postPictures, upload } from '#tests/support/pictures.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import {
  password,
  createClassWithTwoMembers,
  type TestClient,
} from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';

const app = setUpApp({ LIMIT_UPLOADS: 'off', LIMIT_PDFS: 'off' });
let ada: TestClient;
let ben: TestClient;
let classId: string;
let socket: TestSocket;
beforeEach(async () => {
  ({ ada, ben, classId } = await createClassWithTwoMembers(app));
  socket = await ada.connectTo(classId);
});
afterEach(() => vi.useRealTimers());

const within = { timeout: 40_000, interval: 200 };
const files = () => readdirSync(join(app.database.settings.DATA_DIR, 'images')).toSorted();
const post = (text: string, more: object = {}) =>
  socket.request({ type: 'post', classId, id: randomUUID(), text, ...more });

/** The number of rows of the class. */
async function countRows(table: 'messages' | 'mentions'): Promise<number> {
  const [row] = await app.database.query(
    `select count(*) as n from ${table} where "classId" = '${classId}'`,
  );
  return Number(row!['n']);
}

test('deleting an account with its messages deletes the files of all its pictures and PDFs, sent or not [PDF-20]', async () => {
  const eve = await app.createStudent();
  await eve.join(classId);
  const before = files();
  const newFiles = () => files().filter((name) => !before.includes(name));
  const eves = await eve.connectTo(classId);
  const sent = [
    await upload(eve, classId, await createJpeg()),
    await upload(eve, classId, createManyPages(2)),
    await upload(eve, classId, await createJpeg()),
  ];
  await postPictures(eves, classId, sent, { text: 'Our sheet' });
  await postPictures(eves, classId, [await upload(eve, classId, createOnePage({}))]);
  await upload(eve, classId, createOnePage({ content: '0 0 5 5 re f' }));
  expect(newFiles()).toHaveLength(2 * 2 + 3 * 3);

  const exported = accountExportSchema.parse(await eve.call('exportAccount', {}));
  const { messages } = exported.classes.find((one) => one.messages.length > 0)!;
  expect(messages.map(({ images }) => images.length)).toEqual([3, 1]);
  for (const { imageUrl, pdfUrl } of messages.flatMap(({ images }) => images)) {
    expect((await eve.fetch(imageUrl)).status).toBe(200);
    if (pdfUrl) expect((await eve.fetch(pdfUrl)).status).toBe(200);
  }

  await eve.call('deleteAccount', { body: { password, messages: 'delete' } });
  const { pdfUrl } = sent[1]!;
  expect((await eve.fetch(pdfUrl!)).status).toBe(404);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 60 * 60_000 });
  await expect.poll(async () => (await ben.fetch(pdfUrl!)).status, within).toBe(404);
  vi.useRealTimers();
  // The collection of pictures runs when the server starts.
  await app.restart(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 60 * 60_000 });
  });
  await expect.poll(newFiles, within).toEqual([]);
});

test('a member who left, and one whose message was deleted, download nothing [PDF-21]', async () => {
  const eve = await app.createStudent();
  await eve.join(classId);
  const eves = await eve.connectTo(classId);
  const pdf = await upload(ada, classId, createOnePage({}));
  const messageId = await postPictures(socket, classId, [pdf]);
  const unsent = await upload(eve, classId, createOnePage({}));
  expect((await eve.fetch(pdf.pdfUrl!)).status).toBe(200);
  await eve.call('leaveClass', { params: { classId } });
  for (const url of [pdf.pdfUrl!, pdf.imageUrl, unsent.pdfUrl!]) {
    expect((await eve.fetch(url)).status).toBe(404);
  }
  const late = await eves
    .request({ type: 'post', classId, id: randomUUID(), text: 'x', images: [unsent] as never })
    .catch((error: unknown) => error);
  expect(late).not.toMatchObject({ type: 'ack' });
  await socket.request({ type: 'delete', classId, messageId });
  for (const student of [ada, ben]) expect((await student.fetch(pdf.pdfUrl!)).status).toBe(404);
});

test('of a picture that is sent twice and discarded at the same moment, one call wins [PIC-80]', async () => {
  for (let round = 0; round < 8; round++) {
    const { imageId } = await upload(ada, classId, await createJpeg());
    const before = await countRows('messages');
    const answers = await Promise.all([
      post('one', { images: [{ imageId }] }),
      post('two', { images: [{ imageId }] }),
      ada.call('deleteImage', { params: { classId, imageId } }).then(
        () => ({ type: 'discarded' }),
        () => ({ type: 'not discarded' }),
      ),
    ]);
    const acks = answers.filter(({ type }) => type === 'ack').length;
    expect(acks).toBeLessThanOrEqual(1);
    expect(await countRows('messages')).toBe(before + acks);
    const kept = () => files().filter((name) => name.startsWith(imageId)).length;
    await expect.poll(kept).toBe(acks === 1 ? 2 : 0);
    for (const answer of answers) {
      if (answer.type === 'nack') expect(answer).toMatchObject({ code: 'IMAGE_GONE' });
    }
  }
});

test('texts full of tokens mention at most twenty, and of this class only [MENTION-16]', async () => {
  const other = await ada.createClass();
  const otherMe = (await (await ada.connect()).subscribe(other)).me.memberId;
  const before = await countRows('mentions');
  const random = () => toMentionToken(randomUUID().replaceAll('-', '').slice(0, 16));
  const many = Array.from({ length: 200 }, random).join('').slice(0, limits.messageText);
  expect(await post(many)).toMatchObject({ type: 'nack', code: 'TOO_MANY_MENTIONS' });
  const nobody = Array.from({ length: 20 }, random).join(' ');
  for (const text of [
    nobody,
    toMentionToken(otherMe).repeat(200),
    `\`${toMentionToken(otherMe)}\``,
    '<@>'.repeat(1000),
    '<@'.repeat(1900),
    `${'\\'.repeat(3000)}${toMentionToken(otherMe)}`,
    `<@${'a'.repeat(17)}> <@${'a'.repeat(15)}> <@<@${'b'.repeat(16)}>>`,
  ]) {
    expect(await post(text), text.slice(0, 40)).toMatchObject({ type: 'ack' });
  }
  expect(await countRows('mentions')).toBe(before);
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
])('a message with %s is rejected, and the socket stays open [PIC-81]', async (_, more) => {
  expect(await post('text', more)).toMatchObject({ type: 'nack', code: 'INVALID' });
  expect(await post('still here')).toMatchObject({ type: 'ack' });
});
