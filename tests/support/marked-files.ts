// Picture files that carry a mark in every place where a format can store more than pixels.
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

const encodeAscii = (text: string) => Buffer.from(text, 'latin1');
const encodeU16 = (n: number) => Buffer.from([n & 255, n >> 8]);
const encodeU32 = (n: number) => Buffer.from(new Uint32Array([n]).buffer);
const encodeBigU16 = (n: number) => Buffer.from([n >> 8, n & 255]);
const encodeBigU32 = (n: number) => encodeU32(n).toReversed();

/** Picture files, by a description of where each one has the mark. */
export type MarkedFiles = Record<string, Uint8Array>;

export async function createMarkedFiles(mark: string): Promise<MarkedFiles> {
  const jpeg = await createPicture().jpeg().toBuffer();
  const png = await createPicture().png().toBuffer();
  const gif = await createPicture().gif().toBuffer();
  const exif = await createMarkedExif(mark);
  const createTaggedPicture = () =>
    createPicture()
      .withXmp(createXmp(mark))
      .withExif({ IFD0: { Artist: mark } });
  return {
    'JPEG with EXIF, GPS, maker note and thumbnail': addSegments(jpeg, segment(0xe1, exif)),
    'JPEG with XMP': addSegments(
      jpeg,
      segment(0xe1, encodeAscii(`http://ns.adobe.com/xap/1.0/\0${createXmp(mark)}`)),
    ),
    'JPEG with IPTC': addSegments(jpeg, segment(0xed, createIptc(mark))),
    'JPEG with a comment': addSegments(jpeg, segment(0xfe, encodeAscii(mark))),
    'JPEG with a color profile': addSegments(jpeg, segment(0xe2, await createColorProfile(mark))),
    'JPEG with an unknown part': addSegments(jpeg, segment(0xeb, encodeAscii(mark))),
    'JPEG with another file behind it': Buffer.concat([jpeg, createZip(mark)]),
    'JPEG with a second JPEG behind it': Buffer.concat([
      jpeg,
      addSegments(jpeg, segment(0xfe, encodeAscii(mark))),
    ]),
    'PNG with text': addChunks(png, [
      createPngChunk('tEXt', encodeAscii(`Comment\0${mark}`)),
      createPngChunk('zTXt', Buffer.concat([encodeAscii('Author\0\0'), deflateSync(mark)])),
      createPngChunk('iTXt', encodeAscii(`XML:com.adobe.xmp\0\0\0\0\0${createXmp(mark)}`)),
    ]),
    'PNG with EXIF': addChunks(png, [createPngChunk('eXIf', exif.subarray(6))]),
    'PNG with a private part': addChunks(png, [createPngChunk('prVt', encodeAscii(mark))]),
    'PNG with more behind it': Buffer.concat([png, encodeAscii(mark)]),
    'GIF with a comment': addExtension(
      gif,
      Buffer.concat([encodeAscii('\x21\xfe'), createGifBlocks(mark)]),
    ),
    'GIF with an application’s part': addExtension(
      gif,
      Buffer.concat([encodeAscii('\x21\xff\x0bXMP DataXMP'), createGifBlocks(mark)]),
    ),
    'GIF with more behind it': Buffer.concat([gif, encodeAscii(mark)]),
    'moving GIF with a comment': addExtension(
      await createAnimation().gif().toBuffer(),
      Buffer.concat([encodeAscii('\x21\xfe'), createGifBlocks(mark)]),
    ),
    'WebP with EXIF and XMP': await createTaggedPicture().webp().toBuffer(),
    'WebP with an unknown part': addRiffChunk(
      await createPicture().webp().toBuffer(),
      'MARK',
      mark,
    ),
    'moving WebP with EXIF and XMP': await createAnimation()
      .withXmp(createXmp(mark))
      .withExif({ IFD0: { Artist: mark } })
      .webp()
      .toBuffer(),
  };
}

/** Files that are valid pictures and also another format. */
export async function createPolyglots(mark: string): Promise<MarkedFiles> {
  const script = `alert('${mark}')`;
  const html = `<!doctype html><script>${script}</script>`;
  const png = await createPicture().png().toBuffer();
  const jpeg = await createPicture().jpeg().toBuffer();
  return {
    'GIF and JavaScript': createGifAndScript(
      await createPicture(10_799, 8).gif().toBuffer(),
      script,
    ),
    'PNG and HTML': addChunks(png, [createPngChunk('tEXt', encodeAscii(`x\0${html}`))]),
    'JPEG and HTML': addSegments(jpeg, segment(0xfe, encodeAscii(`-->${html}<!--`))),
    'JPEG and ZIP': Buffer.concat([jpeg, createZip(mark)]),
    'PNG and PHP': Buffer.concat([png, encodeAscii(`<?php echo '${mark}'; ?>`)]),
  };
}

function createPicture(width = 64, height = 48): Sharp {
  return sharp({ create: { width, height, channels: 3, background: '#3cb44b' } });
}

function createAnimation(): Sharp {
  const pixels = new Uint8Array(16 * 16 * 3).map((_, i) => i >> 2);
  return sharp(pixels, { raw: { width: 16, height: 16, channels: 3, pageHeight: 8 } });
}

function createXmp(mark: string): string {
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:creator="${mark}"/></rdf:RDF></x:xmpmeta>`;
}

/** EXIF data as cameras write it: make, artist, maker note, comment, place and an embedded thumbnail. */
async function createMarkedExif(mark: string): Promise<Buffer> {
  const small = await createPicture(16, 12).jpeg().toBuffer();
  const thumbnail = addSegments(small, segment(0xfe, encodeAscii(mark)));
  const parts: Buffer[] = [];
  let end = 8;
  const add = (part: Buffer) => {
    parts.push(part);
    end += part.length;
    return end - part.length;
  };
  const text = encodeAscii(`${mark}\0`);
  type Entry = [tag: number, type: number, count: number, value: number];
  const addDirectory = (entries: Entry[], next = 0) => {
    const fields = entries.map((entry) => {
      const [tag, type, count, value] = entry;
      return Buffer.concat([encodeU16(tag), encodeU16(type), encodeU32(count), encodeU32(value)]);
    });
    return add(Buffer.concat([encodeU16(entries.length), ...fields, encodeU32(next)]));
  };
  const note = add(text);
  const latitude = add(Buffer.concat([48, 1, 8, 1, 1411, 100].map(encodeU32)));
  const gps = addDirectory([
    [1, 2, 2, 'N'.charCodeAt(0)],
    [2, 5, 3, latitude],
    [0x1b, 7, text.length, note],
  ]);
  const details = addDirectory([
    [0x927c, 7, text.length, note],
    [0x9286, 7, text.length, note],
  ]);
  const bytes = add(thumbnail);
  const second = addDirectory([
    [0x201, 4, 1, bytes],
    [0x202, 4, 1, thumbnail.length],
  ]);
  const first = addDirectory(
    [
      [0x10f, 2, text.length, note],
      [0x13b, 2, text.length, note],
      [0x8769, 4, 1, details],
      [0x8825, 4, 1, gps],
    ],
    second,
  );
  return Buffer.concat([encodeAscii('Exif\0\0II*\0'), encodeU32(first), ...parts]);
}

function createIptc(mark: string): Buffer {
  const field = Buffer.concat([
    encodeAscii('\x1c\x02\x50'),
    encodeBigU16(mark.length),
    encodeAscii(mark),
  ]);
  const paddedField = Buffer.concat([field, Buffer.alloc(field.length % 2)]);
  return Buffer.concat([
    encodeAscii('Photoshop 3.0\x008BIM\x04\x04\0\0'),
    encodeBigU32(field.length),
    paddedField,
  ]);
}

/** A valid ICC profile with the mark in its own tag. */
async function createColorProfile(mark: string): Promise<Buffer> {
  const tagged = await createPicture().withIccProfile('p3').jpeg().toBuffer();
  const icc = (await sharp(tagged).metadata()).icc!;
  const marked = Buffer.concat([icc, encodeAscii(mark)]);
  marked.writeUInt32BE(marked.length);
  return Buffer.concat([encodeAscii('ICC_PROFILE\0\x01\x01'), marked]);
}

function segment(marker: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xff, marker]), encodeBigU16(content.length + 2), content]);
}

function addSegments(jpeg: Buffer, ...segments: Buffer[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

function createPngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([encodeAscii(type), content]);
  return Buffer.concat([encodeBigU32(content.length), body, encodeBigU32(crc32(body))]);
}

/** Inserts chunks after the header, which is the first 33 bytes. */
function addChunks(png: Buffer, chunks: Buffer[]): Buffer {
  return Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)]);
}

function createGifBlocks(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), encodeAscii(text), Buffer.from([0])]);
}

/** Inserts the extension before the trailer. */
function addExtension(gif: Buffer, extension: Buffer): Buffer {
  return Buffer.concat([gif.subarray(0, -1), extension, gif.subarray(-1)]);
}

function addRiffChunk(webp: Buffer, id: string, mark: string): Buffer {
  const content = Buffer.from(mark.padEnd(mark.length + (mark.length % 2), '\0'));
  const all = Buffer.concat([webp, encodeAscii(id), encodeU32(content.length), content]);
  all.writeUInt32LE(all.length - 8, 4);
  return all;
}

/** The width's two bytes open a comment that ends after the picture: `GIF89a/*...*\/=1;alert()`. */
function createGifAndScript(gif: Buffer, script: string): Buffer {
  if (gif.toString('latin1', 6, 8) !== '/*') throw new Error('The width is no comment.');
  return Buffer.concat([gif, encodeAscii(`*/=1;${script}`)]);
}

/** A ZIP archive with one stored file. */
function createZip(mark: string): Buffer {
  const name = encodeAscii('a.txt');
  const content = encodeAscii(mark);
  const header = Buffer.concat([
    encodeU16(20),
    Buffer.alloc(8),
    encodeU32(crc32(content)),
    encodeU32(content.length),
    encodeU32(content.length),
    encodeU16(name.length),
    encodeU16(0),
  ]);
  const local = Buffer.concat([encodeAscii('PK\x03\x04'), header, name, content]);
  const central = Buffer.concat([
    encodeAscii('PK\x01\x02'),
    encodeU16(20),
    header,
    Buffer.alloc(14),
    name,
  ]);
  const end = Buffer.concat([
    encodeU16(1),
    encodeU16(1),
    encodeU32(central.length),
    encodeU32(local.length),
    encodeU16(0),
  ]);
  return Buffer.concat([local, central, encodeAscii('PK\x05\x06\0\0\0\0'), end]);
}
