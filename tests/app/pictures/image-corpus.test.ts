// The server removes everything from a picture file except its pixels.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestClient } from '#tests/support/test-client.ts';
import { createMarkedFiles, createPolyglots } from '#tests/support/marked-files.ts';
import { createNoise, sendFile, upload } from '#tests/support/pictures.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const mark = `MARK${randomBytes(9).toString('hex')}`;
const app = setUpApp();
let ada: TestClient;
let classId: string;
const marked = await createMarkedFiles(mark);
const polyglots = await createPolyglots(mark);
beforeAll(async () => {
  ada = await app.createStudent();
  classId = await ada.createClass();
});

/** The two files that the server makes of one upload. */
async function getMadeFiles(file: Uint8Array): Promise<Buffer[]> {
  const { imageUrl, thumbUrl } = await upload(ada, classId, file);
  const responses = await Promise.all([imageUrl, thumbUrl].map((url) => ada.fetch(url)));
  return Promise.all(responses.map(async (response) => Buffer.from(await response.arrayBuffer())));
}

/** The chunk names of a WebP. The last chunk must end at the end of the file. */
function listParts(webp: Buffer): string[] {
  expect(webp.toString('latin1', 0, 4)).toBe('RIFF');
  expect(webp.toString('latin1', 8, 12)).toBe('WEBP');
  expect(webp.readUInt32LE(4)).toBe(webp.length - 8);
  const parts: string[] = [];
  let offset = 12;
  while (offset < webp.length) {
    parts.push(webp.toString('latin1', offset, offset + 4));
    const size = webp.readUInt32LE(offset + 4);
    offset += 8 + size + (size % 2);
  }
  expect(offset).toBe(webp.length);
  return parts;
}

const pixelParts = ['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF'];

describe('a marked file', () => {
  test.each([...Object.entries(marked), ...Object.entries(polyglots)])(
    'only the pixels of %s are stored [PIC-3, ANON-3]',
    async (_name, file) => {
      const files = await getMadeFiles(file);
      expect(files).toHaveLength(2);
      for (const out of files) {
        expect(out.toString('latin1')).not.toContain(mark);
        for (const part of listParts(out)) expect(pixelParts).toContain(part);
        const { exif, xmp, icc, iptc, comments } = await sharp(out).metadata();
        expect([exif, xmp, icc, iptc, comments]).toEqual([
          undefined,
          undefined,
          undefined,
          undefined,
          undefined,
        ]);
      }
    },
  );

  test('the data folder, the database and the log have no mark of a file [PIC-3, ANON-3]', async () => {
    const { DATA_DIR: dir } = app.database.settings;
    const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );

    expect(files.some(({ name }) => name.endsWith('.webp'))).toBe(true);
    for (const { parentPath, name } of files) {
      expect(readFileSync(join(parentPath, name), 'latin1'), name).not.toContain(mark);
    }
    expect(await app.database.content()).not.toContain(mark);
    expect(app.logLines.join('\n')).not.toContain(mark);
  });
});

describe('the marks', () => {
  test('the source files have marks that a metadata reader finds [PIC-3]', async () => {
    const getMetadata = async (name: string) => sharp(marked[name]).metadata();

    const exif = await getMetadata('JPEG with EXIF, GPS, maker note and thumbnail');

    expect(exif.exif!.toString('latin1').split(mark).length - 1).toBeGreaterThanOrEqual(2);
    expect((await getMetadata('JPEG with XMP')).xmp!.toString()).toContain(mark);
    expect((await getMetadata('JPEG with IPTC')).iptc!.toString('latin1')).toContain(mark);
    expect((await getMetadata('JPEG with a color profile')).icc!.toString('latin1')).toContain(
      mark,
    );
    expect((await getMetadata('PNG with text')).comments!.map(({ text }) => text)).toContain(mark);
    expect((await getMetadata('PNG with EXIF')).exif!.toString('latin1')).toContain(mark);
    for (const format of ['WebP', 'moving WebP']) {
      const { exif: ofCamera, xmp } = await getMetadata(`${format} with EXIF and XMP`);
      expect(ofCamera!.toString('latin1')).toContain(mark);
      expect(xmp!.toString('latin1')).toContain(mark);
    }
    for (const [name, file] of Object.entries({ ...marked, ...polyglots })) {
      expect(Buffer.from(file).toString('latin1'), name).toContain(mark);
    }
  });
});

describe('a stored picture', () => {
  /** The approximate colors of the four corners, one letter each. */
  async function describeCorners(file: Buffer): Promise<string> {
    const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({
      resolveWithObject: true,
    });
    const getColor = (x: number, y: number) => {
      const [r = 0, g = 0, b = 0] = data.subarray((y * info.width + x) * info.channels);
      if (r > 200 && g > 200 && b > 200) return 'w';
      if (r > 150) return 'r';
      if (g > 150) return 'g';
      return b > 150 ? 'b' : '?';
    };
    const right = info.width - 5;
    const bottom = info.height - 5;
    return getColor(5, 5) + getColor(right, 5) + getColor(5, bottom) + getColor(right, bottom);
  }

  async function createFourColors() {
    const createPart = (background: string, x: number, y: number) => ({
      input: { create: { width: 40, height: 30, channels: 3 as const, background } },
      left: x,
      top: y,
    });
    const canvas = sharp({ create: { width: 80, height: 60, channels: 3, background: '#fff' } });
    return canvas.composite([
      createPart('#f00', 0, 0),
      createPart('#0f0', 40, 0),
      createPart('#00f', 0, 30),
    ]);
  }

  test('a stored picture is upright, whatever its EXIF orientation [PIC-3]', async () => {
    const upright = await createFourColors();
    const raw = await upright.png().toBuffer();
    // The transformation that each orientation requires.
    const asStored: Record<number, (image: Sharp) => Sharp> = {
      1: (image) => image,
      2: (image) => image.flop(),
      3: (image) => image.rotate(180),
      4: (image) => image.flip(),
      6: (image) => image.rotate(-90),
      8: (image) => image.rotate(90),
    };

    for (const [orientation, turn] of Object.entries(asStored)) {
      const file = await turn(sharp(raw))
        .jpeg({ chromaSubsampling: '4:4:4' })
        .withMetadata({ orientation: Number(orientation) })
        .toBuffer();
      for (const out of await getMadeFiles(file)) {
        expect(await sharp(out).metadata()).toMatchObject({ width: 80, height: 60 });
        expect(await describeCorners(out), orientation).toBe('rgbw');
      }
    }
  });

  test('a stored picture has the colors of its ICC profile [PIC-3]', async () => {
    const green = { r: 60, g: 180, b: 75 };
    const image = sharp({ create: { width: 50, height: 50, channels: 3, background: green } });
    const file = await image.withIccProfile('p3').png().toBuffer();
    const getFirstPixel = async (bytes: Uint8Array, options = {}) =>
      (await sharp(bytes, options).removeAlpha().raw().toBuffer()).subarray(0, 3);
    const measureDistance = (pixel: Uint8Array) =>
      Math.max(...[green.r, green.g, green.b].map((value, i) => Math.abs(value - pixel[i]!)));

    expect(measureDistance(await getFirstPixel(file, { ignoreIcc: true }))).toBeGreaterThan(12);
    for (const out of await getMadeFiles(file)) {
      expect(measureDistance(await getFirstPixel(out))).toBeLessThan(6);
    }
  });

  test('a stored picture is the same for every uploader, file name and declared type [ANON-3, PDF-11]', async () => {
    const file = await (await createNoise()).png().toBuffer();
    const eve = await app.createStudent();
    const ownClassId = await eve.createClass();
    const lying = { 'content-type': 'text/html', 'content-disposition': 'filename=x.svg' };
    const reply = (await (await sendFile(eve, ownClassId, file, lying)).json()) as {
      imageUrl: string;
    };
    const theirs = await eve.fetch(reply.imageUrl);

    expect(theirs.headers.get('content-type')).toBe('image/webp');

    const [ours] = await getMadeFiles(file);
    expect(Buffer.from(await theirs.arrayBuffer()).equals(ours!)).toBe(true);
  });
});

describe('an unsupported file', () => {
  const notAPicture = {
    status: 400,
    body: {
      code: 'IMAGE_NOT_A_PICTURE',
      message:
        'This file type isn’t supported. Please choose a JPEG, PNG, WebP or GIF picture, or a PDF.',
    },
  };
  const brokenFiles = {
    status: 400,
    body: {
      code: 'IMAGE_BROKEN',
      message: 'This picture is damaged. Save it again or choose another one.',
    },
  };
  async function tryUpload(file: Uint8Array, type = 'image/png') {
    const response = await sendFile(ada, classId, file, { 'content-type': type });
    return { status: response.status, body: await response.json() };
  }
  const script = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert('${mark}')</script></svg>`;

  test.each(
    Object.entries({
      'is empty': '',
      'is text': 'hello',
      'is SVG': script,
      'is SVG behind an XML line': `<?xml version="1.0"?>${script}`,
      'is HTML': '<!doctype html><script>alert(1)</script>',
      'is PostScript': '%!PS-Adobe-3.0 EPSF-3.0\n',
      'is ImageMagick’s own': 'push graphic-context\nimage over 0,0 0,0 "/etc/passwd"\n',
      'is a film': '\0\0\0\x18ftypisom\0\0\0\0isommp41',
      'is JPEG XL': '\xff\x0a\xfa\x1f\x01\x90',
      'is a bitmap of Windows': `BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0\x02\0\0\0\x01\0\x18\0${'\0'.repeat(40)}`,
    }),
  )('the server rejects a file that %s [PDF-11]', async (_name, text) => {
    expect(await tryUpload(Buffer.from(text, 'latin1'))).toEqual(notAPicture);
  });

  test('the server rejects TIFF, which the library reads, and AVIF and HEIC, which browsers convert [PDF-11]', async () => {
    const noise = await createNoise();
    const heicFile = Buffer.from(heic, 'base64');
    expect(await sharp(heicFile).metadata()).toMatchObject({ format: 'heif', compression: 'hevc' });

    for (const file of [await noise.tiff().toBuffer(), await noise.avif().toBuffer(), heicFile]) {
      expect(await tryUpload(file)).toEqual(notAPicture);
    }
  });

  test('the server rejects a file that has only a PNG signature [PIC-10]', async () => {
    expect(await tryUpload(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))).toEqual(brokenFiles);
  });

  test.each(['jpeg', 'png', 'webp', 'gif'] as const)(
    'the server rejects a truncated %s file [PIC-10]',
    async (format) => {
      const file = await (await createNoise(200, 200)).toFormat(format).toBuffer();
      expect((await tryUpload(file)).status).toBe(200);
      expect(await tryUpload(file.subarray(0, file.length / 2))).toEqual(brokenFiles);
    },
  );
});

/** A green picture, 64 x 48, encoded by libheif with an encoder that the tests do not have. */
const heic =
  'AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAa1tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5waXRtAAAAAAACAAAAEGlkYXQAAAAAAEAAMAAAADhpbG9jAQAAAERAAAIAAQAAAAAAAAHRAAEAAAAAAAAAGAACAAEAAAAAAAAAAQAAAAAAAAAIAAAAOGlpbmYAAAAAAAIAAAAVaW5mZQIAAAEAAQAAaHZjMQAAAAAVaW5mZQIAAAAAAgAAZ3JpZAAAAADYaXBycAAAALZpcGNvAAAAdmh2Y0MBA3AAAAAAAAAAAAAe8AD8/fj4AAAPAyAAAQAYQAEMAf//A3AAAAMAkAAAAwAAAwAeugJAIQABACpCAQEDcAAAAwCQAAADAAADAB6gIIEFlurkprm4EBAwIAAAAwAgAAADACEiAAEABkQBwXPAiQAAABRpc3BlAAAAAAAAAEAAAABAAAAAFGlzcGUAAAAAAAAAQAAAADAAAAAQcGl4aQAAAAADCAgIAAAAGmlwbWEAAAAAAAAAAgABAoECAAICA4QAAAAaaXJlZgAAAAAAAAAOZGltZwACAAEAAQAAACBtZGF0AAAAFCgBrwQY+Mpx1//0+5+9ZP0LUhHn';
