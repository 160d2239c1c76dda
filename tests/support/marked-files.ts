// Picture files that carry a mark in every place where a format can store more than pixels.
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

const ascii = (text: string) => Buffer.from(text, 'latin1');
const u16 = (n: number) => Buffer.from([n & 255, n >> 8]);
const u32 = (n: number) => Buffer.from(new Uint32Array([n]).buffer);
const bigU16 = (n: number) => Buffer.from([n >> 8, n & 255]);
const bigU32 = (n: number) => u32(n).toReversed();

/** A private chunk whose content says which place it marks. */
export type Marked = Record<string, Uint8Array>;

export async function createMarkedFiles(mark: string): Promise<Marked> {
  const jpeg = await picture().jpeg().toBuffer();
  const png = await picture().png().toBuffer();
  const gif = await picture().gif().toBuffer();
  const exif = await createMarkedExif(mark);
  const tagged = () =>
    picture()
      .withXmp(xmp(mark))
      .withExif({ IFD0: { Artist: mark } });
  return {
    'JPEG with EXIF, GPS, maker note and thumbnail': addSegments(jpeg, segment(0xe1, exif)),
    'JPEG with XMP': addSegments(
      jpeg,
      segment(0xe1, ascii(`http://ns.adobe.com/xap/1.0/\0${xmp(mark)}`)),
    ),
    'JPEG with IPTC': addSegments(jpeg, segment(0xed, iptc(mark))),
    'JPEG with a comment': addSegments(jpeg, segment(0xfe, ascii(mark))),
    'JPEG with a color profile': addSegments(jpeg, segment(0xe2, await profile(mark))),
    'JPEG with an unknown part': addSegments(jpeg, segment(0xeb, ascii(mark))),
    'JPEG with another file behind it': Buffer.concat([jpeg, zip(mark)]),
    'JPEG with a second JPEG behind it': Buffer.concat([
      jpeg,
      addSegments(jpeg, segment(0xfe, ascii(mark))),
    ]),
    'PNG with text': addChunks(png, [
      chunk('tEXt', ascii(`Comment\0${mark}`)),
      chunk('zTXt', Buffer.concat([ascii('Author\0\0'), deflateSync(mark)])),
      chunk('iTXt', ascii(`XML:com.adobe.xmp\0\0\0\0\0${xmp(mark)}`)),
    ]),
    'PNG with EXIF': addChunks(png, [chunk('eXIf', exif.subarray(6))]),
    'PNG with a private part': addChunks(png, [chunk('prVt', ascii(mark))]),
    'PNG with more behind it': Buffer.concat([png, ascii(mark)]),
    'GIF with a comment': addExtension(gif, Buffer.concat([ascii('\x21\xfe'), blocks(mark)])),
    'GIF with an application’s part': addExtension(
      gif,
      Buffer.concat([ascii('\x21\xff\x0bXMP DataXMP'), blocks(mark)]),
    ),
    'GIF with more behind it': Buffer.concat([gif, ascii(mark)]),
    'moving GIF with a comment': addExtension(
      await moving().gif().toBuffer(),
      Buffer.concat([ascii('\x21\xfe'), blocks(mark)]),
    ),
    'WebP with EXIF and XMP': await tagged().webp().toBuffer(),
    'WebP with an unknown part': addRiffChunk(await picture().webp().toBuffer(), 'MARK', mark),
    'moving WebP with EXIF and XMP': await moving()
      .withXmp(xmp(mark))
      .withExif({ IFD0: { Artist: mark } })
      .webp()
      .toBuffer(),
    'AVIF with EXIF and XMP': await tagged().avif({ effort: 0 }).toBuffer(),
  };
}

/** Files that are valid pictures and also another format. */
export async function polyglots(mark: string): Promise<Marked> {
  const script = `alert('${mark}')`;
  const html = `<!doctype html><script>${script}</script>`;
  const png = await picture().png().toBuffer();
  const jpeg = await picture().jpeg().toBuffer();
  return {
    'GIF and JavaScript': createGifAndScript(await picture(10_799, 8).gif().toBuffer(), script),
    'PNG and HTML': addChunks(png, [chunk('tEXt', ascii(`x\0${html}`))]),
    'JPEG and HTML': addSegments(jpeg, segment(0xfe, ascii(`-->${html}<!--`))),
    'JPEG and ZIP': Buffer.concat([jpeg, zip(mark)]),
    'PNG and PHP': Buffer.concat([png, ascii(`<?php echo '${mark}'; ?>`)]),
  };
}

function picture(width = 64, height = 48): Sharp {
  return sharp({ create: { width, height, channels: 3, background: '#3cb44b' } });
}

function moving(): Sharp {
  const pixels = new Uint8Array(16 * 16 * 3).map((_, i) => i >> 2);
  return sharp(pixels, { raw: { width: 16, height: 16, channels: 3, pageHeight: 8 } });
}

function xmp(mark: string): string {
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:creator="${mark}"/></rdf:RDF></x:xmpmeta>`;
}

/** EXIF data as cameras write it: make, artist, maker note, comment, place and an embedded thumbnail. */
async function createMarkedExif(mark: string): Promise<Buffer> {
  const small = await picture(16, 12).jpeg().toBuffer();
  const thumbnail = addSegments(small, segment(0xfe, ascii(mark)));
  const parts: Buffer[] = [];
  let end = 8;
  const add = (part: Buffer) => {
    parts.push(part);
    end += part.length;
    return end - part.length;
  };
  const text = ascii(`${mark}\0`);
  type Entry = [tag: number, type: number, count: number, value: number];
  const directory = (entries: Entry[], next = 0) => {
    const fields = entries.map((entry) => {
      const [tag, type, count, value] = entry;
      return Buffer.concat([u16(tag), u16(type), u32(count), u32(value)]);
    });
    return add(Buffer.concat([u16(entries.length), ...fields, u32(next)]));
  };
  const note = add(text);
  const latitude = add(Buffer.concat([48, 1, 8, 1, 1411, 100].map(u32)));
  const gps = directory([
    [1, 2, 2, 'N'.charCodeAt(0)],
    [2, 5, 3, latitude],
    [0x1b, 7, text.length, note],
  ]);
  const details = directory([
    [0x927c, 7, text.length, note],
    [0x9286, 7, text.length, note],
  ]);
  const bytes = add(thumbnail);
  const second = directory([
    [0x201, 4, 1, bytes],
    [0x202, 4, 1, thumbnail.length],
  ]);
  const first = directory(
    [
      [0x10f, 2, text.length, note],
      [0x13b, 2, text.length, note],
      [0x8769, 4, 1, details],
      [0x8825, 4, 1, gps],
    ],
    second,
  );
  return Buffer.concat([ascii('Exif\0\0II*\0'), u32(first), ...parts]);
}

function iptc(mark: string): Buffer {
  const field = Buffer.concat([ascii('\x1c\x02\x50'), bigU16(mark.length), ascii(mark)]);
  const even = Buffer.concat([field, Buffer.alloc(field.length % 2)]);
  return Buffer.concat([ascii('Photoshop 3.0\x008BIM\x04\x04\0\0'), bigU32(field.length), even]);
}

/** A valid ICC profile with the mark in its own tag. */
async function profile(mark: string): Promise<Buffer> {
  const tagged = await picture().withIccProfile('p3').jpeg().toBuffer();
  const icc = (await sharp(tagged).metadata()).icc!;
  const marked = Buffer.concat([icc, ascii(mark)]);
  marked.writeUInt32BE(marked.length);
  return Buffer.concat([ascii('ICC_PROFILE\0\x01\x01'), marked]);
}

function segment(marker: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xff, marker]), bigU16(content.length + 2), content]);
}

function addSegments(jpeg: Buffer, ...segments: Buffer[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([ascii(type), content]);
  return Buffer.concat([bigU32(content.length), body, bigU32(crc32(body))]);
}

/** Inserts chunks after the header, which is the first 33 bytes. */
function addChunks(png: Buffer, chunks: Buffer[]): Buffer {
  return Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)]);
}

function blocks(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), ascii(text), Buffer.from([0])]);
}

/** Inserts the extension before the trailer. */
function addExtension(gif: Buffer, extension: Buffer): Buffer {
  return Buffer.concat([gif.subarray(0, -1), extension, gif.subarray(-1)]);
}

function addRiffChunk(webp: Buffer, id: string, mark: string): Buffer {
  const content = Buffer.from(mark.padEnd(mark.length + (mark.length % 2), '\0'));
  const all = Buffer.concat([webp, ascii(id), u32(content.length), content]);
  all.writeUInt32LE(all.length - 8, 4);
  return all;
}

/** The width's two bytes open a comment that ends after the picture: `GIF89a/*...*\/=1;alert()`. */
function createGifAndScript(gif: Buffer, script: string): Buffer {
  if (gif.toString('latin1', 6, 8) !== '/*') throw new Error('The width is no comment.');
  return Buffer.concat([gif, ascii(`*/=1;${script}`)]);
}

/** A ZIP archive with one stored file. */
function zip(mark: string): Buffer {
  const name = ascii('a.txt');
  const content = ascii(mark);
  const about = Buffer.concat([
    u16(20),
    Buffer.alloc(8),
    u32(crc32(content)),
    u32(content.length),
    u32(content.length),
    u16(name.length),
    u16(0),
  ]);
  const local = Buffer.concat([ascii('PK\x03\x04'), about, name, content]);
  const central = Buffer.concat([ascii('PK\x01\x02'), u16(20), about, Buffer.alloc(14), name]);
  const end = Buffer.concat([u16(1), u16(1), u32(central.length), u32(local.length), u16(0)]);
  return Buffer.concat([local, central, ascii('PK\x05\x06\0\0\0\0'), end]);
}
