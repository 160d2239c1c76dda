import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestClient, createClassWithTwoMembers } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import {
  loadImageMetadata,
  createJpeg,
  createNoise,
  postPicture,
  upload,
} from '#tests/support/pictures.ts';
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

/** The event of this kind about the message, as other members receive it. */
async function findPublishedItem(kind: 'posted' | 'edited' | 'deleted', messageId: string) {
  const find = (items: readonly { kind: string }[]) =>
    items.find((item) => item.kind === kind && JSON.stringify(item).includes(messageId));
  const { items } = await bobsSocket.waitFor('events', (frame) => find(frame.items) !== undefined);
  return find(items);
}

async function listHistory() {
  const query = { limit: 100 };
  return (await bob.call('listMessages', { params: { classId }, query })).messages;
}

describe('a picture', () => {
  test('a picture without text is a message, with its URL and displayed size [SEND-1, SEND-18, PIC-1, PIC-5, PIC-73]', async () => {
    const { imageId, ...imageFields } = await upload(ada, classId, await createJpeg(300, 200));
    const id = await postPicture(socket, classId, imageId, { alt: '  A \n blackboard ' });
    const { storagePath, ...image } = imageFields;
    const { imageUrl } = image;
    const images = [{ ...image, alt: 'A blackboard' }];
    const expectedFields = { text: '', imageUrl, storagePath, images };

    expect(await findPublishedItem('posted', id)).toMatchObject({
      message: { id, ...expectedFields },
    });
    expect((await listHistory()).at(-1)).toMatchObject({ id, ...expectedFields });

    const lateSocket = await bob.connect();
    expect((await lateSocket.subscribe(classId)).messages.at(-1)).toMatchObject({
      id,
      ...expectedFields,
    });

    expect(imageUrl).toBe(`/${storagePath}`);
    expect(storagePath).toMatch(/^images\/[\w-]{16}\.webp$/);
    expect(image).toMatchObject({ width: 300, height: 200, animated: false });
    for (const url of [imageUrl, image.thumbUrl]) {
      expect(await loadImageMetadata(bob, url)).toMatchObject({ width: 300, height: 200 });
    }
  });

  test('a message without a picture has an empty list of images [SEND-18]', async () => {
    const id = randomUUID();
    await socket.request({ type: 'post', classId, id, text: 'no picture' });
    const withoutImage = { imageUrl: null, storagePath: null, images: [] };

    expect(await findPublishedItem('posted', id)).toMatchObject({ message: withoutImage });
    expect((await listHistory()).at(-1)).toMatchObject(withoutImage);
  });

  test('a picture is scaled down for screens and keeps its aspect ratio [PIC-5]', async () => {
    const large = await upload(ada, classId, await createJpeg(4000, 3000));
    expect(large).toMatchObject({ width: 2365, height: 1774 });
    expect(await loadImageMetadata(ada, large.imageUrl)).toMatchObject({
      width: 2365,
      height: 1774,
    });
    expect(await loadImageMetadata(ada, large.thumbUrl)).toMatchObject({ width: 693, height: 520 });

    const longImage = await upload(ada, classId, await createJpeg(300, 10_000));
    expect(longImage).toMatchObject({ width: 246, height: 8192 });
  });

  test('a picture has at most 10 MB and 40 megapixels [SEND-5]', async () => {
    const file = await createJpeg();
    const padFile = (bytes: number) => Buffer.concat([file, Buffer.alloc(bytes - file.length)]);

    expect(await upload(ada, classId, padFile(10 * 1024 * 1024))).toMatchObject({ width: 60 });
    const tooLarge = {
      code: 'IMAGE_TOO_LARGE',
      message: 'A picture can have at most 10 MB. Please choose a smaller one.',
    };
    await expect(upload(ada, classId, padFile(10 * 1024 * 1024 + 1))).rejects.toMatchObject(
      tooLarge,
    );

    const unannounced = await ada.fetch(`/api/classes/${classId}/images`, {
      method: 'POST',
      body: new Blob([padFile(10 * 1024 * 1024 + 1)]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(unannounced.status).toBe(413);
    expect(await unannounced.json()).toEqual(tooLarge);

    const createPlainPng = (width: number) =>
      sharp({ create: { width, height: 5000, channels: 3, background: 'teal' } })
        .png()
        .toBuffer();
    expect(await upload(ada, classId, await createPlainPng(8000))).toMatchObject({ width: 2591 });
    await expect(upload(ada, classId, await createPlainPng(8001))).rejects.toMatchObject({
      code: 'IMAGE_TOO_MANY_PIXELS',
      message: 'A picture can have at most 40 megapixels. Please choose a smaller one.',
    });
  });
});

describe('an upload', () => {
  const rejection = {
    code: 'IMAGE_GONE',
    message: 'The picture is no longer on the server. Please add it again.',
  };

  test('only the uploader can send an upload, once, in its class [PIC-11]', async () => {
    const { imageId } = await upload(ada, classId, await createJpeg());
    await expect(postPicture(bobsSocket, classId, imageId)).rejects.toMatchObject(rejection);

    const otherClassId = await ada.createClass();
    await expect(postPicture(socket, otherClassId, imageId)).rejects.toMatchObject(rejection);

    await postPicture(socket, classId, imageId, { text: 'first' });
    const secondPost = postPicture(socket, classId, imageId, { text: 'second' });
    await expect(secondPost).rejects.toMatchObject(rejection);
    await expect(postPicture(socket, classId, 'AAAAAAAAAAAAAAAA')).rejects.toMatchObject(rejection);
    expect((await listHistory()).filter(({ text }) => text === 'second')).toEqual([]);
  });

  test('a repeated upload of the same bytes is the same message, and other bytes are a conflict [PIC-13, LOG-4, LOG-30]', async () => {
    const id = randomUUID();
    const file = await createJpeg();
    const { imageId } = await upload(ada, classId, file);
    const post = { type: 'post', classId, id, text: 'look', images: [{ imageId, alt: 'x' }] };

    const firstReply = await socket.request(post);

    expect(firstReply.type).toBe('ack');
    expect(await socket.request(post)).toMatchObject({
      type: 'ack',
      seq: (firstReply as { seq: 1 }).seq,
    });

    // The outbox does the same after a lost reply, if it assumes that the server deleted the picture.
    const secondUpload = await upload(ada, classId, file);
    const retry = await socket.request({
      ...post,
      images: [{ imageId: secondUpload.imageId, alt: 'x' }],
    });
    expect(retry).toMatchObject({ type: 'ack', seq: (firstReply as { seq: 1 }).seq });

    const keptMessage = (await listHistory()).find((message) => message.id === id);
    expect(keptMessage?.imageUrl).toBe(`/images/${imageId}.webp`);

    const conflict = { type: 'nack', code: 'ID_CONFLICT' };
    const otherImage = await upload(ada, classId, await createJpeg());

    expect(
      await socket.request({ ...post, images: [{ imageId: otherImage.imageId, alt: 'x' }] }),
    ).toMatchObject(conflict);
    expect(await socket.request({ ...post, images: [{ imageId, alt: 'y' }] })).toMatchObject(
      conflict,
    );
    expect(await socket.request({ ...post, text: 'hey' })).toMatchObject(conflict);
    expect(await socket.request({ type: 'post', classId, id, text: 'look' })).toMatchObject(
      conflict,
    );
  });

  test('a repeated upload does not restore a deleted message [PIC-13]', async () => {
    const id = randomUUID();
    const file = await createJpeg();
    const { imageId } = await upload(ada, classId, file);
    await postPicture(socket, classId, imageId, { id });
    await socket.request({ type: 'delete', classId, messageId: id });
    // The server acknowledges it, because it knows the author's id, whatever the message contained.
    await postPicture(socket, classId, imageId, { id });

    await postPicture(socket, classId, (await upload(ada, classId, file)).imageId, { id });

    expect((await listHistory()).filter((message) => message.id === id)).toEqual([]);
  });

  test('only the uploader sees an unsent upload [PIC-14]', async () => {
    const { imageId, imageUrl, thumbUrl } = await upload(ada, classId, await createJpeg());
    for (const url of [imageUrl, thumbUrl]) {
      expect((await ada.fetch(url)).status).toBe(200);
      expect((await bob.fetch(url)).status).toBe(404);
    }

    await postPicture(socket, classId, imageId);
    expect((await bob.fetch(imageUrl)).status).toBe(200);
  });

  test('only the uploader can delete an unsent upload [PIC-14]', async () => {
    const { imageId, imageUrl } = await upload(ada, classId, await createJpeg());
    const params = { classId, imageId };

    expect(await bob.call('deleteImage', { params })).toEqual({});
    expect((await ada.fetch(imageUrl)).status).toBe(200);
    expect(await ada.call('deleteImage', { params })).toEqual({});
    expect((await ada.fetch(imageUrl)).status).toBe(404);
    expect(await ada.call('deleteImage', { params })).toEqual({});
    await expect(postPicture(socket, classId, imageId)).rejects.toMatchObject(rejection);

    const image = await upload(ada, classId, await createJpeg());
    await postPicture(socket, classId, image.imageId);
    await ada.call('deleteImage', { params: { classId, imageId: image.imageId } });

    expect((await bob.fetch(image.imageUrl)).status).toBe(200);
  });
});

describe('a message with a picture', () => {
  test('a message needs a text or a picture [PIC-68]', async () => {
    const { imageId } = await upload(ada, classId, await createJpeg());
    const messageId = await postPicture(socket, classId, imageId, { text: 'words' });
    const edit = { type: 'edit', classId, messageId, text: ' ' };

    expect(await socket.request(edit)).toMatchObject({ type: 'ack' });
    expect(await findPublishedItem('edited', messageId)).toMatchObject({ text: '' });

    const id = randomUUID();
    await socket.request({ type: 'post', classId, id, text: 'words' });
    expect(await socket.request({ ...edit, messageId: id })).toMatchObject({
      code: 'MESSAGE_EMPTY',
    });
  });

  test('a message with a picture has a description of at most 500 characters without control characters [PIC-73]', async () => {
    const { imageId } = await upload(ada, classId, await createJpeg());
    const post = (alt: string) => {
      const images = [{ imageId, alt }];
      return socket.request({ type: 'post', classId, id: randomUUID(), text: 'x', images });
    };
    const rejection = { type: 'nack', code: 'INVALID' };

    expect(await post('x'.repeat(501))).toMatchObject(rejection);
    expect(await post('a\u202eb')).toMatchObject(rejection);
    expect(await post('x'.repeat(500))).toMatchObject({ type: 'ack' });
  });
});

describe('a picture’s file', () => {
  test('only members can learn whether a picture’s file exists [HTTP-3, PIC-16]', async () => {
    const eve = await app.createStudent();
    const { imageId, imageUrl, thumbUrl } = await upload(ada, classId, await createJpeg());
    await postPicture(socket, classId, imageId);
    await eve.createClass();
    const guessed = [
      '/images/AAAAAAAAAAAAAAAA.webp',
      '/images/',
      '/images/x',
      `/images/${imageId}`,
      `/images/${imageId}.png`,
      `${imageUrl}/`,
      '/images/..%2fserver.key',
      '/images/%2e%2e/server.key',
    ];
    const requests = [
      ...[imageUrl, thumbUrl].flatMap((url) => [
        [eve, url],
        [app.visitor(), url],
      ]),
      ...guessed.flatMap((url) => [
        [ada, url],
        [app.visitor(), url],
      ]),
    ] as [TestClient, string][];

    for (const [client, url] of requests) {
      for (const method of ['GET', 'HEAD']) {
        const headers = { 'if-none-match': `"${url.slice('/images/'.length)}"` };
        for (const init of [{ method }, { method, headers }]) {
          const response = await client.fetch(url, init);
          expect(response.status, `${method} ${url}`).toBe(404);
          expect(response.headers.get('cache-control')).toBe('no-store');
        }
      }
    }
    expect((await bob.fetch(imageUrl)).status).toBe(200);
  });

  test('a picture’s file is never cached and always sent whole [HTTP-3]', async () => {
    const { imageId, imageUrl, thumbUrl } = await upload(ada, classId, await createJpeg());
    await postPicture(socket, classId, imageId);

    for (const url of [imageUrl, thumbUrl]) {
      const firstResponse = await bob.fetch(url);
      const bytes = (await firstResponse.arrayBuffer()).byteLength;
      expect(firstResponse.headers.get('cache-control')).toBe('no-store');
      expect(firstResponse.headers.get('etag')).toBeNull();
      expect(firstResponse.headers.get('content-length')).toBe(String(bytes));
      const secondResponse = await bob.fetch(url, { headers: { 'if-none-match': '*' } });
      expect(secondResponse.status).toBe(200);
      const head = await bob.fetch(url, { method: 'HEAD' });
      expect(head.headers.get('cache-control')).toBe('no-store');
      expect(head.headers.get('content-length')).toBe(String(bytes));
      expect(await head.text()).toBe('');
    }
  });

  test('a picture’s file is served only as a picture [PIC-16]', async () => {
    const { imageUrl, thumbUrl } = await upload(ada, classId, await createJpeg());
    for (const url of [imageUrl, thumbUrl]) {
      const { headers } = await ada.fetch(url);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'image/webp',
        'content-disposition': 'inline',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
      });
    }
  });

  test('no one can read a picture’s file after leaving the class or signing out [HTTP-3]', async () => {
    const eve = await app.createStudent();
    await eve.join(classId);
    const { imageId, imageUrl } = await upload(ada, classId, await createJpeg());
    await postPicture(socket, classId, imageId);
    const getStatus = async () => (await eve.fetch(imageUrl)).status;

    expect(await getStatus()).toBe(200);

    await eve.leave(classId);
    expect(await getStatus()).toBe(404);

    await eve.join(classId);
    expect(await getStatus()).toBe(200);

    await eve.call('signOut', {});
    expect(await getStatus()).toBe(404);
  });
});

describe('an animation', () => {
  /** Makes frames that all differ, so that the encoder drops none. */
  async function createFrames(count: number, side = 8) {
    const { data, info } = await (await createNoise(side, side * count)).raw().toBuffer({
      resolveWithObject: true,
    });
    const { width, height, channels } = info;
    return sharp(data, { raw: { width, height, channels, pageHeight: side } });
  }

  test.each(['gif', 'webp'] as const)(
    'an animation of %s stays animated, and its thumbnail is still [PIC-5, PIC-6]',
    async (format) => {
      const delay = Array<number>(7).fill(120);
      const file = await (await createFrames(7)).toFormat(format, { loop: 3, delay }).toBuffer();

      const image = await upload(ada, classId, file);

      expect(image).toMatchObject({ animated: true, width: 8, height: 8 });
      expect(await loadImageMetadata(ada, image.imageUrl)).toMatchObject({
        format: 'webp',
        pages: 7,
        loop: 3,
        delay,
      });
      expect((await loadImageMetadata(ada, image.thumbUrl)).pages ?? 1).toBe(1);
    },
  );

  test('an animation is scaled down further than a still picture [PIC-6]', async () => {
    const file = await (await createFrames(2, 1000)).webp().toBuffer();

    const image = await upload(ada, classId, file);

    expect(image).toMatchObject({ animated: true, width: 640, height: 640 });
    expect(await loadImageMetadata(ada, image.imageUrl)).toMatchObject({ width: 640, height: 640 });
  });

  test('an animation has at most 300 frames and 40 megapixels [PIC-6]', async () => {
    const tooAnimated = {
      code: 'IMAGE_TOO_ANIMATED',
      message:
        'This animation is too long or too large. Please choose one with at most 300 frames, or a smaller one.',
    };
    const createGif = async (count: number) => (await createFrames(count)).gif().toBuffer();

    expect(await upload(ada, classId, await createGif(300))).toMatchObject({ animated: true });
    await expect(upload(ada, classId, await createGif(301))).rejects.toMatchObject(tooAnimated);
    const createPlainFrames = (count: number) => {
      const side = 2000;
      const pixels = new Uint8Array(side * side * count);
      for (let n = 0; n < count; n++) pixels.fill(n * 20, n * side * side, (n + 1) * side * side);
      const raw = { width: side, height: side * count, channels: 1, pageHeight: side } as const;
      return sharp(pixels, { raw }).webp({ lossless: true, effort: 0 }).toBuffer();
    };
    expect(await upload(ada, classId, await createPlainFrames(10))).toMatchObject({ width: 640 });
    await expect(upload(ada, classId, await createPlainFrames(11))).rejects.toMatchObject(
      tooAnimated,
    );
  });
});
