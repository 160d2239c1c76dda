// Builds AVIF files box by box, also ones that no program would write.
import { brotliDecompressSync } from 'node:zlib';

const toBytes = (...values: number[]) => Buffer.from(values);

function encodeU16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16BE(value);
  return buffer;
}

function encodeU32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}

function createBox(type: string, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([encodeU32(content.length + 8), Buffer.from(type, 'latin1'), content]);
}

const createFullBox = (type: string, version: number, ...parts: Buffer[]) =>
  createBox(type, encodeU32(version * 2 ** 24), ...parts);

/** AV1 data of a picture, and its size. */
export interface Av1 {
  width: number;
  height: number;
  /** The content of av1C. */
  configuration: Buffer;
  data: Buffer;
}

interface Item {
  type: string;
  data: Buffer;
  /** Numbers of properties, from 1. */
  properties: number[];
  /** Numbers of the items that this one is made of, from 1. */
  parts?: number[];
}

/** The last item is the picture. */
function buildAvif(items: readonly Item[], properties: readonly Buffer[]): Buffer {
  const start = createBox('ftyp', Buffer.from('avif'), encodeU32(0), Buffer.from('avifmif1miaf'));
  let offset = start.length + 8;
  const locations = items.map(({ data }, index) => {
    const location = Buffer.concat([
      encodeU16(index + 1),
      encodeU16(0),
      encodeU16(1),
      encodeU32(offset),
      encodeU32(data.length),
    ]);
    offset += data.length;
    return location;
  });
  const infos = items.map(({ type }, index) =>
    createFullBox('infe', 2, encodeU16(index + 1), encodeU16(0), Buffer.from(type), toBytes(0)),
  );
  const references = items.flatMap(({ parts = [] }, index) =>
    parts.length > 0
      ? [createBox('dimg', encodeU16(index + 1), encodeU16(parts.length), ...parts.map(encodeU16))]
      : [],
  );
  const associations = items.map(({ properties: numbers }, index) =>
    Buffer.concat([encodeU16(index + 1), toBytes(numbers.length, ...numbers)]),
  );
  const meta = createFullBox(
    'meta',
    0,
    createFullBox('hdlr', 0, encodeU32(0), Buffer.from('pict'), Buffer.alloc(13)),
    createFullBox('pitm', 0, encodeU16(items.length)),
    createFullBox('iloc', 0, toBytes(0x44, 0), encodeU16(items.length), ...locations),
    createFullBox('iinf', 0, encodeU16(items.length), ...infos),
    createFullBox('iref', 0, ...references),
    createBox(
      'iprp',
      createBox('ipco', ...properties),
      createFullBox('ipma', 0, encodeU32(items.length), ...associations),
    ),
  );
  return Buffer.concat([start, createBox('mdat', ...items.map(({ data }) => data)), meta]);
}

function toProperties({ width, height, configuration }: Av1, canvas: Size): Buffer[] {
  return [
    createFullBox('ispe', 0, encodeU32(width), encodeU32(height)),
    createFullBox('pixi', 0, toBytes(3, 8, 8, 8)),
    createBox('av1C', configuration),
    createFullBox('ispe', 0, encodeU32(canvas.width), encodeU32(canvas.height)),
    createBox('irot', toBytes(1)),
  ];
}

interface Size {
  width: number;
  height: number;
}

const codedProperties = [1, 2, 3];
const derivedProperties = [4, 2];
const turn = 5;

/** A picture of tiles, which may be repeated. */
export function buildGrid(tile: Av1, rows: number, columns: number, canvas: Size): Buffer {
  return buildTiles(tile, rows, columns, canvas, true);
}

/** Builds the file as a phone writes it: each tile is an item. */
export function buildTiles(
  tile: Av1,
  rows: number,
  columns: number,
  canvas: Size,
  isRepeated = false,
): Buffer {
  const count = rows * columns;
  const coded: Item = { type: 'av01', data: tile.data, properties: codedProperties };
  const tiles = Array.from({ length: isRepeated ? 1 : count }, () => coded);
  const grid: Item = {
    type: 'grid',
    data: Buffer.concat([
      toBytes(0, 0, rows - 1, columns - 1),
      encodeU16(canvas.width),
      encodeU16(canvas.height),
    ]),
    properties: derivedProperties,
    parts: Array.from({ length: count }, (_, index) => (isRepeated ? 1 : index + 1)),
  };
  return buildAvif([...tiles, grid], toProperties(tile, canvas));
}

/** A picture that is laid over itself. */
export function buildOverlay(picture: Av1, count: number, canvas: Size): Buffer {
  const places = Array.from({ length: count }, () => toBytes(0, 0, 0, 0));
  const background = Buffer.alloc(8);
  const overlay: Item = {
    type: 'iovl',
    data: Buffer.concat([
      toBytes(0, 0),
      background,
      encodeU16(canvas.width),
      encodeU16(canvas.height),
      ...places,
    ]),
    properties: derivedProperties,
    parts: Array.from({ length: count }, () => 1),
  };
  const coded: Item = { type: 'av01', data: picture.data, properties: codedProperties };
  return buildAvif([coded, overlay], toProperties(picture, canvas));
}

export function buildPicture(picture: Av1, turnCount = 0): Buffer {
  const properties = [...codedProperties, ...Array.from({ length: turnCount }, () => turn)];
  return buildAvif(
    [{ type: 'av01', data: picture.data, properties }],
    toProperties(picture, picture),
  );
}

/** The bytes of the time delimiter and of the sequence header at the start of the data. */
const sequenceHeaderStart = 2;
const frameStart = 15;

/** The same frame many times: only one is shown. */
export function repeatFrame(picture: Av1, count: number): Av1 {
  const frame = picture.data.subarray(frameStart);
  const frames = Array.from({ length: count }, () => frame);
  return { ...picture, data: Buffer.concat([picture.data.subarray(0, frameStart), ...frames]) };
}

/** The size is only in the configuration. */
export function moveSequenceHeader(picture: Av1): Av1 {
  const { configuration, data } = picture;
  const header = data.subarray(sequenceHeaderStart, frameStart);
  return {
    ...picture,
    configuration: Buffer.concat([configuration, header]),
    data: Buffer.concat([data.subarray(0, sequenceHeaderStart), data.subarray(frameStart)]),
  };
}

/** Finds the AV1 data in an AVIF that sharp has written. */
export function extractAv1(file: Buffer, { width, height }: Size): Av1 {
  const findContent = (type: string) => {
    const start = file.indexOf(type, 0, 'latin1') - 4;
    return file.subarray(start + 8, start + file.readUInt32BE(start));
  };
  return { width, height, configuration: findContent('av1C'), data: findContent('mdat') };
}

function unpackAv1(width: number, height: number, packed: string): Av1 {
  const data = brotliDecompressSync(Buffer.from(packed, 'base64'));
  return { width, height, configuration: Buffer.from('811f0c00', 'hex'), data };
}

/** Pictures of one color, because encoding them takes seconds. */
export const av1Of40Megapixels = unpackAv1(
  8000,
  5000,
  'G1oDiGYADgAANdiAM/JoHcQWwYEHGxyHY3S9KQkSABQ0/jOfP4dbBIQFCwHTJBgyRjw8dHdZlmVobCAAgO78FNU7OiutcHFX2Iq3OVJ/GIWWV1+zTEwvacvEugRC3GTZ8epDXssdRmXFU2gj8LNOeR7f9GHa/AIXwRGWvbgqrQteev+EsvMV1c7bNkuOdSjJOLKZ/gg4mm+aHAUbzE+JGP+YX2fqpsVQNmzqnYc+LU+rWraD15Yn0luDOKKl3g0TrvIe/adaGVwfdrAOl+I/K982h/6EkOPxbtENAzYrpIL8tRD0r4GpMBPA3xWdMSeKNyi/P5M3UCMTiEvmIugVHDcyKr1HxZyNCjLkVKhl0eSIdzC/kRV/bW/CjS2uOkEpmIRfaKjtjhBbqsr++UJ1Rx7hgf35mMtQh+3RPuuFlt3cOn+rneWbzq1vLkkg4R4pArzUMimrEe+HKiOBpTwOrPiACpcY/qlk8MwrI1e9Uic1QwmABbxMTYf7xCBfRw3gwR/y5qyOGRendVq1gH2wieyR1StDJ6TY4qqw82NsgMCU09AvSeyMZBFsp0ZQbk+EdgL4pNHZrWETkr2T8mKPELUuSOUKJBP4Tc7GCZkIvvfL350aiVjqRKeYswqH7L7bZMjvMj4/D/Lmz+F93YlTDhBWR7qAj8rydHlEkfDHAwxiQ4Jc9iCQD9sJDA==',
);
export const av1Of256Megapixels = unpackAv1(
  16_000,
  16_000,
  'G1QNaGYADgAANTc4AEw9IQo004nGt0Vo8AFw8JDZSPVNRIIEAAWN/+7n//lbBIQFC8E0jIVARjw8dHdZlmVobCAAYDs/RfWOzkorXNwVtuJtjtQfRqHlT7BrlonpJW2ZWJdAiJssO159yGu5w6iseAptBH7WKc/jmz5Mm1/gIjjCshdXpXXBS++fUHa+otp522bJsQ4lGUc20x8BR/NNk6OQdj+lRvVdbLHW+5vsr+MkDIf5KRHjH/PrTN20GMqGTb3z0KflaVXLdvDa8kR6axBHtNS7YcJV3qP/VCuD68MO1uFS/Gfl2+bQnxByPN4tumHAyC1d1bbj9ArE2121f9G781bk3ZvSiJNzKGeI4LRNhusZE03G3f/EAkSoraGLW2mqBxJpHw+QFPD+H2WGx0QrQxXQG2nqHK8Grh78V8eX0WLMxcFfVShsSc5ZtG67h3iDEGZB/HxALDYyKr1HxZyNCjLkVKhl0eSIdzC/kRV/bW/CjS2uOkEpmIRfaKjtjhBbqsr++UJ1Rx7hgf35mMtQh+3RPuuFlt3cOn+rneWbzq1vLkkg4R4pAnyeKc89ntHYQRLcwnX4HLekB8x0QqgR74cqI4GlPA6s+IAKlxj+qWTwzCsjV71SJzVDCYAFvExNh/vEIF9HDeDBH/LmrI4ZF6e1e6QZc9d18GkjgA7OFrdudeFrzzfe9oeon0s3W4Pjby/adLTUf3tqrYiGE9JxgBJACJPl/vuxkuLyLjinNJCgH41isuomsEjKdBMYANPOJJOgSBbQr0nbplZJRln3s3zYO2JLdTDX4AC9W5TWAPJOiA0=',
);
