import { crc32, deflateSync } from 'node:zlib';

const side = 8;

/** A PNG with the author's name in every possible place: EXIF, XMP, text chunks, and after its end. */
export function createMarkedPicture(mark: string): Buffer {
  const rows = Buffer.alloc(side * (1 + side * 3), 0x5a);
  for (let y = 0; y < side; y++) rows[y * (1 + side * 3)] = 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    createChunk('IHDR', header),
    createChunk('tEXt', Buffer.from(`Author\0${mark}`)),
    createChunk('iTXt', Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta>${mark}</x:xmpmeta>`)),
    createChunk('eXIf', createExif(mark)),
    createChunk('IDAT', deflateSync(rows)),
    createChunk('IEND', Buffer.alloc(0)),
    Buffer.from(mark),
  ]);
}

function createChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  const sum = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** One entry: the artist. */
function createExif(mark: string): Buffer {
  const text = Buffer.from(`${mark}\0`);
  const head = Buffer.alloc(26);
  head.write('II*\0', 0, 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(1, 8);
  head.writeUInt16LE(0x013b, 10);
  head.writeUInt16LE(2, 12);
  head.writeUInt32LE(text.length, 14);
  head.writeUInt32LE(26, 18);
  return Buffer.concat([head, text]);
}
