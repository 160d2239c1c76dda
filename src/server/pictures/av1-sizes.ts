// Computes from AV1 data how many pixels a decoder would decode.
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';

/** An open bitstream unit (OBU). */
interface Unit {
  type: number;
  content: Buffer;
}

/** The types of open bitstream units (AV1 specification, 6.2.2). */
const sequenceHeader = 1;
/** OBU_FRAME_HEADER, OBU_FRAME and OBU_REDUNDANT_FRAME_HEADER. */
const frameTypes: ReadonlySet<number> = new Set([3, 6, 7]);

/**
 * Finds the largest frame that the sequence headers in the contents of av1C boxes allow.
 *
 * @returns the pixels of one frame
 * @throws {AppError} IMAGE_TOO_MANY_PIXELS, IMAGE_BROKEN
 */
export function findLargestFramePixels(av1cContents: readonly Buffer[]): number {
  let largestFramePixels = 0;
  for (const av1cContent of av1cContents) {
    for (const { type, content } of listUnits(av1cContent)) {
      if (frameTypes.has(type)) throw new AppError('IMAGE_BROKEN');
      if (type === sequenceHeader) {
        largestFramePixels = Math.max(largestFramePixels, parseFramePixels(content));
      }
    }
  }
  return largestFramePixels;
}

/**
 * Counts the pixels of all frames, because a picture can contain frames that are decoded but not shown.
 *
 * @param configuredFramePixels the pixels of a frame that precedes the first sequence header
 * @throws {AppError} IMAGE_TOO_MANY_PIXELS, IMAGE_BROKEN
 */
export function countAv1Pixels(data: Buffer, configuredFramePixels: number): number {
  let framePixels = configuredFramePixels;
  let pixels = 0;
  for (const { type, content } of listUnits(data)) {
    if (type === sequenceHeader) framePixels = parseFramePixels(content);
    if (frameTypes.has(type)) pixels += framePixels;
  }
  return pixels;
}

function* listUnits(data: Buffer): Generator<Unit> {
  for (let start = 0; start < data.length;) {
    const header = data.readUInt8(start);
    const hasExtension = (header & 4) !== 0;
    const hasSize = (header & 2) !== 0;
    start += hasExtension ? 2 : 1;
    let contentBytes = data.length - start;
    if (hasSize) {
      const { value, byteCount } = parseLeb128(data, start);
      contentBytes = value;
      start += byteCount;
    }
    if (contentBytes < 0 || start + contentBytes > data.length) throw new AppError('IMAGE_BROKEN');
    yield { type: (header >> 3) & 15, content: data.subarray(start, start + contentBytes) };
    start += contentBytes;
  }
}

/** Parses a LEB128 integer: seven bits in each byte, the lowest first. */
function parseLeb128(data: Buffer, start: number): { value: number; byteCount: number } {
  let value = 0;
  for (let index = 0; index < 8; index++) {
    const byte = data.readUInt8(start + index);
    value += (byte & 127) * 2 ** (7 * index);
    if (byte < 128) return { value, byteCount: index + 1 };
  }
  throw new AppError('IMAGE_BROKEN');
}

/**
 * Computes the pixels of the largest frame that a sequence header allows (AV1 specification, 5.5.1).
 */
function parseFramePixels(header: Buffer): number {
  const bits = new BitReader(header);
  bits.skip(4);
  const isReduced = bits.read(1) === 1;
  if (isReduced) bits.skip(5);
  else skipOperatingPoints(bits);
  const widthBits = bits.read(4) + 1;
  const heightBits = bits.read(4) + 1;
  const pixels = (bits.read(widthBits) + 1) * (bits.read(heightBits) + 1);
  if (pixels > limits.imagePixels) throw new AppError('IMAGE_TOO_MANY_PIXELS');
  return pixels;
}

function skipOperatingPoints(bits: BitReader): void {
  let delayBits = 0;
  const hasTiming = bits.read(1) === 1;
  if (hasTiming) {
    bits.skip(64);
    const hasEqualIntervals = bits.read(1) === 1;
    if (hasEqualIntervals) bits.skipUvlc();
    const hasDecoderModel = bits.read(1) === 1;
    if (hasDecoderModel) {
      delayBits = bits.read(5) + 1;
      bits.skip(42);
    }
  }
  const hasDisplayDelay = bits.read(1) === 1;
  for (let remaining = bits.read(5) + 1; remaining > 0; remaining--) {
    bits.skip(12);
    const level = bits.read(5);
    if (level > 7) bits.skip(1);
    if (delayBits > 0 && bits.read(1) === 1) bits.skip(2 * delayBits + 1);
    if (hasDisplayDelay && bits.read(1) === 1) bits.skip(4);
  }
}

class BitReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  read(count: number): number {
    let value = 0;
    for (let remainingBits = count; remainingBits > 0; remainingBits--) {
      const byte = this.#bytes.readUInt8(this.#position >> 3);
      value = value * 2 + ((byte >> (7 - (this.#position & 7))) & 1);
      this.#position += 1;
    }
    return value;
  }

  skip(count: number): void {
    this.#position += count;
  }

  /** Skips a variable-length number (uvlc): n zeros, a one, then n bits. */
  skipUvlc(): void {
    let zeroCount = 0;
    while (this.read(1) === 0) zeroCount += 1;
    // Decoders do not agree on the value of a longer number.
    if (zeroCount > 31) throw new AppError('IMAGE_BROKEN');
    this.skip(zeroCount);
  }
}
