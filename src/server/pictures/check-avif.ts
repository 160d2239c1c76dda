// Bounds the work of decoding an AVIF before it is decoded. A file of 2 KB can name one large tile hundreds of times, and
// libheif limits only the size of the result.
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { countAv1Pixels, findLargestFramePixels } from './av1-sizes.ts';

interface Box {
  type: string;
  content: Buffer;
  /** The position after the box. */
  end: number;
}

interface Reference {
  type: string;
  targetIds: number[];
}

/** The types of items that phones, browsers and image programs write. Exif, mime and tmap (a gain map) are not decoded. */
const acceptedItems: ReadonlySet<string> = new Set(['av01', 'grid', 'Exif', 'mime', 'tmap']);
const transformTypes: ReadonlySet<string> = new Set(['irot', 'imir', 'clap']);
/** A picture and its transparency. */
const maxDecodedPixels = 2 * limits.imagePixels; // PIC-87
/** Four times what a picture of 1,000 tiles needs, which is the maximum of libheif. */
const maxBoxes = 4096;
const maxTableBytes = 128 * 1024;
/** The bytes of all items together, as a multiple of the file's bytes: items of a picture with several layers share bytes. */
const maxShares = 4;

/**
 * Counts the pixels of all frames of all items, and checks that no item is decoded twice.
 *
 * @returns the part of the file that was checked, which is what may be decoded: browsers and libheif ignore bytes behind the last
 * box
 * @throws {AppError} IMAGE_NOT_A_PICTURE, IMAGE_TOO_MANY_PIXELS, IMAGE_BROKEN
 */
export function checkAvif(upload: Buffer): Buffer {
  const fileBoxes: Box[] = [];
  let end = 0;
  for (let box = parseBox(upload, end); box; box = parseBox(upload, end)) {
    if (fileBoxes.push(box) > maxBoxes) throw new AppError('IMAGE_BROKEN');
    end = box.end;
  }
  const file = upload.subarray(0, end);
  const isVideo = !fileBoxes.some(({ type }) => type === 'meta');
  if (isVideo) throw new AppError('IMAGE_NOT_A_PICTURE');
  const meta = findBox(fileBoxes, 'meta').subarray(4);
  const boxes = listBoxes(meta);
  const types = parseItemTypes(findBox(boxes, 'iinf'));
  for (const type of types.values()) {
    if (!acceptedItems.has(type)) throw new AppError('IMAGE_NOT_A_PICTURE');
  }
  checkReferences(boxes.filter(({ type }) => type === 'iref'));
  const propertyBoxes = listBoxes(findBox(boxes, 'iprp'));
  const properties = listBoxes(findBox(propertyBoxes, 'ipco'));
  checkTransforms(properties, findBox(propertyBoxes, 'ipma'));
  const configuredFramePixels = findLargestFramePixels(
    properties.filter(({ type }) => type === 'av1C').map(({ content }) => content.subarray(4)),
  );
  let decodedPixels = 0;
  for (const [id, data] of parseItemData(file, boxes)) {
    if (types.get(id) !== 'av01') continue;
    decodedPixels += countAv1Pixels(data, configuredFramePixels);
    if (decodedPixels > maxDecodedPixels) throw new AppError('IMAGE_TOO_MANY_PIXELS');
  }
  return file;
}

/** Lists the boxes that fill the content of another box. */
function listBoxes(content: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let start = 0; start < content.length;) {
    const box = parseBox(content, start);
    if (!box || boxes.push(box) > maxBoxes) throw new AppError('IMAGE_BROKEN');
    start = box.end;
  }
  return boxes;
}

/** @returns null if no whole box starts here */
function parseBox(content: Buffer, start: number): Box | null {
  if (start + 8 > content.length) return null;
  const type = content.toString('latin1', start + 4, start + 8);
  let size = content.readUInt32BE(start);
  let headerSize = 8;
  if (size === 1) {
    if (start + 16 > content.length) return null;
    size = Number(content.readBigUInt64BE(start + 8));
    headerSize = 16;
  }
  // The last box of a file can have the size 0, which means that it reaches to the end.
  if (size === 0) size = content.length - start;
  const end = start + size;
  if (size < headerSize || end > content.length) return null;
  return { type, content: content.subarray(start + headerSize, end), end };
}

/** Finds the only box of this type. If there were two boxes, the decoder could use another one than this check. */
function findBox(boxes: readonly Box[], type: string): Buffer {
  const [box, second] = boxes.filter((other) => other.type === type);
  if (!box || second) throw new AppError('IMAGE_BROKEN');
  return box.content;
}

function parseItemTypes(itemInfo: Buffer): Map<number, string> {
  const types = new Map<number, string>();
  const entries = listBoxes(itemInfo.subarray(itemInfo[0] === 0 ? 6 : 8));
  for (const { content } of entries) {
    const hasLongId = content[0] === 3;
    const id = hasLongId ? content.readUInt32BE(4) : content.readUInt16BE(4);
    const typeStart = hasLongId ? 10 : 8;
    if (types.has(id)) throw new AppError('IMAGE_BROKEN');
    types.set(id, content.toString('latin1', typeStart, typeStart + 4));
  }
  return types;
}

/** Rejects an item that is a tile, or the transparency, of more than one other item. */
function checkReferences(boxes: readonly Box[]): void {
  const tiles = new Set<number>();
  for (const { type, targetIds } of boxes.flatMap(({ content }) => parseReferences(content))) {
    if (type === 'auxl' && targetIds.length > 1) throw new AppError('IMAGE_NOT_A_PICTURE');
    if (type !== 'dimg') continue;
    for (const id of targetIds) {
      if (tiles.has(id)) throw new AppError('IMAGE_NOT_A_PICTURE');
      tiles.add(id);
    }
  }
}

function parseReferences(itemReferences: Buffer): Reference[] {
  const idBytes = itemReferences[0] === 0 ? 2 : 4;
  return listBoxes(itemReferences.subarray(4)).map(({ type, content }) => {
    const count = content.readUInt16BE(idBytes);
    const start = idBytes + 2;
    const targetIds = Array.from({ length: count }, (_, index) =>
      content.readUIntBE(start + index * idBytes, idBytes),
    );
    return { type, targetIds };
  });
}

/** Rejects an item that is turned, mirrored or cropped more than once: each time, all its pixels are copied. */
function checkTransforms(properties: readonly Box[], associations: Buffer): void {
  const reader = new NumberReader(associations);
  const version = reader.read(1);
  const indexBytes = (reader.read(3) & 1) + 1;
  const indexMask = indexBytes === 1 ? 0x7f : 0x7fff;
  const transforms = new Set<string>();
  for (let remaining = reader.read(4); remaining > 0; remaining--) {
    const id = reader.read(version === 0 ? 2 : 4);
    for (let indexesLeft = reader.read(1); indexesLeft > 0; indexesLeft--) {
      const type = properties[(reader.read(indexBytes) & indexMask) - 1]?.type ?? '';
      if (!transformTypes.has(type)) continue;
      const transform = `${type} ${id}`;
      if (transforms.has(transform)) throw new AppError('IMAGE_NOT_A_PICTURE');
      transforms.add(transform);
    }
  }
}

/** Reads the table of locations (iloc), and the bytes that it names. */
function parseItemData(file: Buffer, boxes: readonly Box[]): Map<number, Buffer> {
  const table = findBox(boxes, 'iloc');
  if (table.length > maxTableBytes) throw new AppError('IMAGE_BROKEN');
  const reader = new NumberReader(table);
  const version = reader.read(1);
  reader.read(3);
  const fieldSizes = reader.read(2);
  const offsetBytes = fieldSizes >> 12;
  const lengthBytes = (fieldSizes >> 8) & 15;
  const baseBytes = (fieldSizes >> 4) & 15;
  const indexBytes = version === 0 ? 0 : fieldSizes & 15;
  const idBytes = version < 2 ? 2 : 4;
  const data = new Map<number, Buffer>();
  let readBytes = 0;
  for (let remaining = reader.read(idBytes); remaining > 0; remaining--) {
    const id = reader.read(idBytes);
    const method = version === 0 ? 0 : reader.read(2) & 15;
    const isUnsupported = reader.read(2) !== 0 || method > 1;
    if (data.has(id) || isUnsupported) throw new AppError('IMAGE_BROKEN');
    const source = method === 0 ? file : findBox(boxes, 'idat');
    const base = reader.read(baseBytes);
    const extents: Buffer[] = [];
    for (let extentsLeft = reader.read(2); extentsLeft > 0; extentsLeft--) {
      reader.read(indexBytes);
      const start = base + reader.read(offsetBytes);
      const length = reader.read(lengthBytes);
      readBytes += length;
      const isOutside = length === 0 || start + length > source.length;
      if (isOutside || readBytes > maxShares * file.length) throw new AppError('IMAGE_BROKEN');
      extents.push(source.subarray(start, start + length));
    }
    data.set(id, Buffer.concat(extents));
  }
  return data;
}

class NumberReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** @param byteCount 0, 1, 2, 3, 4 or 8 */
  read(byteCount: number): number {
    const start = this.#position;
    this.#position += byteCount;
    if (byteCount === 0) return 0;
    if (byteCount === 8) return Number(this.#bytes.readBigUInt64BE(start));
    return this.#bytes.readUIntBE(start, byteCount);
  }
}
