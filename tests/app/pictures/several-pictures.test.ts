// Messages with up to ten pictures, as clients send and receive them.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { accountExportSchema } from '#contract/account.ts';
import { type TestClient, createClassWithTwoMembers } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { createJpeg, postPictures, upload, type Upload } from '#tests/support/pictures.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();
let ada: TestClient;
let bob: TestClient;
let classId: string;
let socket: TestSocket;
let bobsSocket: TestSocket;
beforeAll(async () => {
  ({ ada, ben: bob, classId } = await createClassWithTwoMembers(app));
  socket = await ada.connectTo(classId);
  bobsSocket = await bob.connectTo(classId);
});

async function uploadPictures(count: number): Promise<Upload[]> {
  const done: Upload[] = [];
  for (let n = 0; n < count; n++) {
    done.push(await upload(ada, classId, await createJpeg(20 + n, 20)));
  }
  return done;
}

const describeImages = (images: readonly Upload[]) =>
  images.map(({ imageId }, n) => ({ imageId, alt: `Page ${n + 1}` }));

async function getNewestMessage() {
  const { messages } = await bob.call('listMessages', { params: { classId }, query: {} });
  return messages.at(-1)!;
}

test('a message has up to ten pictures in the sender’s order, each with its description [PIC-64, PIC-73, SEND-18]', async () => {
  const uploadedImages = (await uploadPictures(10)).toReversed();
  const id = await postPictures(socket, classId, describeImages(uploadedImages), {
    text: 'Ten pages',
  });
  const images = uploadedImages.map(({ imageUrl, thumbUrl, width, height }, n) => {
    return { imageUrl, thumbUrl, width, height, alt: `Page ${n + 1}` };
  });
  const { imageUrl, storagePath } = uploadedImages[0]!;
  const expectedFields = { id, text: 'Ten pages', imageUrl, storagePath, images };

  const { items } = await bobsSocket.waitFor('events', ({ items: all }) =>
    JSON.stringify(all).includes(id),
  );

  expect(items).toMatchObject([{ kind: 'posted', message: expectedFields }]);
  expect(await getNewestMessage()).toMatchObject(expectedFields);
  expect((await bob.snapshot(classId)).messages.at(-1)).toMatchObject(expectedFields);
  for (const { imageUrl: url, thumbUrl } of images) {
    expect((await bob.fetch(url)).status).toBe(200);
    expect((await bob.fetch(thumbUrl)).status).toBe(200);
  }
});

test('a message with eleven pictures or one picture twice is rejected [PIC-64]', async () => {
  const eleven = await uploadPictures(11);
  await expect(postPictures(socket, classId, eleven)).rejects.toMatchObject({
    code: 'TOO_MANY_IMAGES',
    message:
      'A message can have at most 10 pictures and PDFs. Please remove some, or send them in another message.',
  });
  const [first] = eleven;
  await expect(postPictures(socket, classId, [first!, first!])).rejects.toMatchObject({
    code: 'INVALID',
    message: 'A message can have each picture only once.',
  });

  await postPictures(socket, classId, eleven.slice(0, 10));
  expect((await getNewestMessage()).images).toHaveLength(10);
});

test('a message with a missing picture is rejected, and its other pictures can still be sent [PIC-11]', async () => {
  const [firstImage, secondImage] = (await uploadPictures(2)) as [Upload, Upload];
  const rejection = { code: 'IMAGE_GONE' };
  const missing = { imageId: 'AAAAAAAAAAAAAAAA' };

  await expect(
    postPictures(socket, classId, [firstImage, missing, secondImage]),
  ).rejects.toMatchObject(rejection);

  const theirs = await upload(bob, classId, await createJpeg());
  await expect(postPictures(socket, classId, [firstImage, theirs])).rejects.toMatchObject(
    rejection,
  );
  expect((await bob.fetch(firstImage.imageUrl)).status).toBe(404);

  await postPictures(socket, classId, [secondImage, firstImage]);
  expect((await getNewestMessage()).images.map(({ imageUrl }) => imageUrl)).toEqual([
    secondImage.imageUrl,
    firstImage.imageUrl,
  ]);
});

test('the description of a picture is checked like a text [PIC-73]', async () => {
  const [image] = (await uploadPictures(1)) as [Upload];
  const post = (alt: string) =>
    postPictures(socket, classId, [{ imageId: image.imageId, alt }]).catch(
      (error: unknown) => error,
    );

  expect(await post('x'.repeat(501))).toMatchObject({ code: 'INVALID' });
  expect(await post('a\u202eb')).toMatchObject({
    code: 'INVALID',
    message: 'The description contains a character that is not allowed.',
  });
});

test('the longest message of ten pictures fits into a frame [PIC-64, WIRE-3]', async () => {
  const images = (await uploadPictures(10)).map(({ imageId }) => ({
    imageId,
    alt: '猫'.repeat(500),
  }));

  await postPictures(socket, classId, images, { text: '猫'.repeat(4000) });

  expect((await getNewestMessage()).images.map(({ alt }) => alt.length)).toEqual(
    Array(10).fill(500),
  );
});

test('a repeated message with other pictures, orders or descriptions is a conflict [PIC-13]', async () => {
  const id = randomUUID();
  const files = [await createJpeg(), await createJpeg()];
  const uploadAgain = async () => {
    const done: Upload[] = [];
    for (const file of files) done.push(await upload(ada, classId, file));
    return describeImages(done);
  };
  const postedImages = await uploadAgain();
  const frame = { type: 'post', classId, id, text: '' };

  const firstReply = await socket.request({ ...frame, images: postedImages });

  expect(firstReply.type).toBe('ack');

  const retry = await socket.request({ ...frame, images: await uploadAgain() });
  expect(retry).toMatchObject({ type: 'ack', seq: (firstReply as { seq: number }).seq });
  const conflict = { type: 'nack', code: 'ID_CONFLICT' };
  for (const images of [
    postedImages.toReversed(),
    postedImages.slice(0, 1),
    [{ ...postedImages[0]!, alt: 'Other' }, postedImages[1]!],
    [{ ...postedImages[0]!, spoiler: true as const }, postedImages[1]!],
    undefined,
  ]) {
    expect(await socket.request({ ...frame, text: images ? '' : 'x', images })).toMatchObject(
      conflict,
    );
  }
});

test('a picture that its sender hides says so to everyone [PIC-98]', async () => {
  const [hidden, other] = (await uploadPictures(2)) as [Upload, Upload];
  const images = [{ imageId: hidden.imageId, spoiler: true as const }, { imageId: other.imageId }];

  await postPictures(socket, classId, images);

  const spoilers = (await getNewestMessage()).images.map(({ spoiler }) => spoiler);
  expect(spoilers).toEqual([true, undefined]);
});

test('an edit keeps all pictures, and a quote says how many there are [PIC-68, CHAT-30]', async () => {
  const id = await postPictures(socket, classId, describeImages(await uploadPictures(3)), {
    text: 'Look',
  });

  await socket.request({ type: 'edit', classId, messageId: id, text: '' });

  expect(await getNewestMessage()).toMatchObject({ id, text: '', images: [{}, {}, {}] });

  await bobsSocket.request({
    type: 'post',
    classId,
    id: randomUUID(),
    text: 'Nice',
    replyTo: id,
  });
  expect((await getNewestMessage()).quote).toMatchObject({ text: '', imageCount: 3 });
});

test('deleting the message erases all files, rows and descriptions [PIC-69, DELETE-6, DELETE-7]', async () => {
  const uploadedImages = await uploadPictures(3);
  const mark = randomUUID();
  const images = uploadedImages.map(({ imageId }, n) => ({ imageId, alt: `${mark} ${n}` }));
  const messageId = await postPictures(socket, classId, images);

  const reply = await socket.request({ type: 'delete', classId, messageId });

  expect(reply).toEqual({ type: 'ack', rid: reply.rid, seq: expect.any(Number) as number });

  const folder = join(app.database.settings.DATA_DIR, 'images');
  const tables = JSON.stringify(await app.database.tables());
  expect(tables).not.toContain(mark);
  for (const { imageId, imageUrl } of uploadedImages) {
    expect(tables).not.toContain(imageId);
    expect(existsSync(join(folder, `${imageId}.webp`))).toBe(false);
    expect(existsSync(join(folder, `${imageId}.small.webp`))).toBe(false);
    expect((await bob.fetch(imageUrl)).status).toBe(404);
  }
});

test('the export has the descriptions of the account’s own pictures [PIC-68, PROFILE-18]', async () => {
  const cleo = await app.createStudent();
  await cleo.join(classId);
  const image = await upload(cleo, classId, await createJpeg());
  const cleosSocket = await cleo.connectTo(classId);

  await postPictures(cleosSocket, classId, [{ imageId: image.imageId, alt: 'My board' }]);

  const file = accountExportSchema.parse(await cleo.call('exportAccount', {}));
  expect(file.classes[0]!.messages).toMatchObject([
    { text: '', images: [{ imageUrl: image.imageUrl, alt: 'My board' }] },
  ]);
});
