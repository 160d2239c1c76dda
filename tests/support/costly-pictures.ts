// Picture files that make a decoder work far more than their pixels need, one or more for each accepted format.
import { deflateSync, crc32 } from 'node:zlib';
import sharp from 'sharp';

interface CostlyPicture {
  file: Uint8Array;
  /** The error, or 'accepted'. */
  outcome: string;
}

const maxBytes = 10 * 1024 * 1024;

export async function createCostlyPictures(): Promise<Record<string, CostlyPicture>> {
  const tooAnimated = 'IMAGE_TOO_ANIMATED';
  const brokenImage = 'IMAGE_BROKEN';
  return {
    'a WebP with as many frames as fit': { file: await createWebpOfFrames(), outcome: tooAnimated },
    'a GIF with as many frames as fit': { file: createGifOfFrames(), outcome: tooAnimated },
    'a JPEG with 2,000 scans': { file: createJpegOfScans(2000), outcome: brokenImage },
    'a JPEG with 100 scans': { file: createJpegOfScans(100), outcome: 'accepted' },
    'a PNG with compressed texts': { file: await createPngWithTexts(), outcome: 'accepted' },
    'a PNG with a compressed color profile': {
      file: await createPng('iCCP', Buffer.from('x\0\0'), 100_000_000),
      outcome: 'accepted',
    },
    'a PNG with more pixels than it says': {
      file: await createPng('IDAT', Buffer.alloc(0), 1_000_000_000),
      outcome: 'accepted',
    },
  };
}

const createOnePixel = (width = 1) =>
  sharp({ create: { width, height: width, channels: 3, background: 'red' } });

function repeatToFill(part: Buffer): Buffer {
  return Buffer.concat(
    Array.from({ length: Math.floor((maxBytes - 100) / part.length) }, () => part),
  );
}

async function createWebpOfFrames(): Promise<Buffer> {
  const encodeU32 = (value: number) => Buffer.from(new Uint32Array([value]).buffer);
  const createChunk = (name: string, content: Buffer) =>
    Buffer.concat([Buffer.from(name), encodeU32(content.length), content]);
  const picture = await createOnePixel().webp({ lossless: true }).toBuffer();
  const placeAndTime = Buffer.alloc(16);
  const body = Buffer.concat([
    Buffer.from('WEBP'),
    createChunk('VP8X', Buffer.from([2, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
    createChunk('ANIM', Buffer.alloc(6)),
    repeatToFill(createChunk('ANMF', Buffer.concat([placeAndTime, picture.subarray(12)]))),
  ]);
  return createChunk('RIFF', body);
}

function createGifOfFrames(): Buffer {
  const size = [1, 0, 1, 0, 0x80, 0, 0];
  const colors = [0, 0, 0, 255, 255, 255];
  const header = Buffer.concat([Buffer.from('GIF89a'), Buffer.from([...size, ...colors])]);
  const control = Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0]);
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
  return Buffer.concat([
    header,
    repeatToFill(Buffer.concat([control, frame])),
    Buffer.from([0x3b]),
  ]);
}

const createPngChunk = (name: string, content: Buffer) => {
  const body = Buffer.concat([Buffer.from(name), content]);
  const length = Buffer.from(new Uint32Array([content.length, crc32(body)]).buffer).swap32();
  return Buffer.concat([length.subarray(0, 4), body, length.subarray(4)]);
};
/** The signature of a PNG and its first chunk. */
const pngStart = 33;
/** The last chunk. */
const pngEnd = 12;

async function createPng(name: string, prefix: Buffer, length: number): Promise<Buffer> {
  const png = await createOnePixel(9).png().toBuffer();
  const zeros = deflateSync(Buffer.alloc(length), { level: 1 });
  const rest = name === 'IDAT' ? png.subarray(-pngEnd) : png.subarray(pngStart);
  return Buffer.concat([
    png.subarray(0, pngStart),
    createPngChunk(name, Buffer.concat([prefix, zeros])),
    rest,
  ]);
}

async function createPngWithTexts(): Promise<Buffer> {
  const png = await createOnePixel(9).png().toBuffer();
  // The longest text that libpng unpacks, and as many as it reads.
  const zeros = deflateSync(Buffer.alloc(7_900_000), { level: 9 });
  const texts = Array.from({ length: 990 }, (_, index) =>
    createPngChunk('zTXt', Buffer.concat([Buffer.from(`Comment${index}\0\0`), zeros])),
  );
  return Buffer.concat([png.subarray(0, pngStart), ...texts, png.subarray(pngStart)]);
}

const jpegSize = { width: 8000, height: 5000 };

/** A gray progressive JPEG of 40 megapixels. Each scan adds one bit to one coefficient of one color, and is a few bytes. */
function createJpegOfScans(count: number): Buffer {
  const blocks = (jpegSize.width / 8) * (jpegSize.height / 8);
  const toBytes = (value: number) => [value >> 8, value & 255];
  const segment = (marker: number, ...content: number[]) =>
    Buffer.from([0xff, marker, ...toBytes(content.length + 2), ...content]);
  const colors = [1, 2, 3];
  const padCodeLengths = (lengths: number[]) => [...lengths, ...Array(16 - lengths.length).fill(0)];
  const start = [
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, 0, ...Array<number>(64).fill(1)),
    segment(
      0xc2,
      ...[8, ...toBytes(jpegSize.height), ...toBytes(jpegSize.width), colors.length],
      ...colors.flatMap((color) => [color, 0x11, 0]),
    ),
    // Codes for empty blocks: 0 for 16,384 and more, 10 for 2,048 and more.
    segment(0xc4, 0x10, ...padCodeLengths([1, 1]), 0xe0, 0xb0, 0x00, ...padCodeLengths([1]), 0),
  ];
  const scan = (scanColors: number[], first: number, last: number, bits: number, data: Buffer) =>
    Buffer.concat([
      segment(
        0xda,
        ...[scanColors.length, ...scanColors.flatMap((color) => [color, 0])],
        ...[first, last, bits],
      ),
      data,
    ]);
  const averages = Buffer.alloc(Math.ceil((blocks * colors.length) / 8));
  const scans = [scan(colors, 0, 0, 0, averages)];
  const emptyBlocks = packBits(toRuns(blocks));
  for (let bit = 13; bit >= 0; bit--) {
    const bits = bit === 13 ? bit : ((bit + 1) << 4) | bit;
    for (const color of colors) {
      for (let coefficient = 1; coefficient < 64 && scans.length < count; coefficient++) {
        scans.push(scan([color], coefficient, coefficient, bits, emptyBlocks));
      }
    }
  }
  return Buffer.concat([...start, ...scans, Buffer.from([0xff, 0xd9])]);
}

/** Runs of empty blocks, as bits. */
function toRuns(blocks: number): string {
  const maxRun = 32_767;
  const fullRuns = Math.floor(blocks / maxRun);
  const fullRun = `0${(maxRun - 16_384).toString(2).padStart(14, '0')}`;
  const lastRun = `10${((blocks % maxRun) - 2048).toString(2).padStart(11, '0')}`;
  return fullRun.repeat(fullRuns) + lastRun;
}

/** A byte of ones is followed by a byte of zeros. */
function packBits(bits: string): Buffer {
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1');
  const packed = padded.match(/.{8}/g)!.map((byte) => parseInt(byte, 2));
  return Buffer.from(packed.flatMap((byte) => (byte === 255 ? [255, 0] : [byte])));
}
