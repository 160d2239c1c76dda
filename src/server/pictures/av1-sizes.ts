// Reads from AV1 data how many pixels a decoder will make of it.
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';

/** An open bitstream unit. */
interface Unit {
  type: number;
  content: Buffer;
}

const sequenceHeader = 1;
/** A frame header, a whole frame, and a repeated frame header. */
const frameTypes: ReadonlySet<number> = new Set([3, 6, 7]);

/**
 * The size of one frame in the sequence headers of several configurations, in pixels.
 *
 * @throws {AppError} IMAGE_TOO_MANY_PIXELS, IMAGE_BROKEN
 */
export function findLargestSize(configurations: readonly Buffer[]): number {
  let largestSize = 0;
  for (const configuration of configurations) {
    for (const { type, content } of listUnits(configuration)) {
      if (frameTypes.has(type)) throw new AppError('IMAGE_BROKEN');
      if (type === sequenceHeader) largestSize = Math.max(largestSize, parseFrameSize(content));
    }
  }
  return largestSize;
}

/**
 * The pixels of all frames together: a picture can contain frames that are decoded and not shown.
 *
 * @param configuredSize of frames that come before a sequence header
 * @throws {AppError} IMAGE_TOO_MANY_PIXELS, IMAGE_BROKEN
 */
export function countAv1Pixels(data: Buffer, configuredSize: number): number {
  let frameSize = configuredSize;
  let pixels = 0;
  for (const { type, content } of listUnits(data)) {
    if (type === sequenceHeader) frameSize = parseFrameSize(content);
    if (frameTypes.has(type)) pixels += frameSize;
  }
  return pixels;
}

function* listUnits(data: Buffer): Generator<Unit> {
  for (let start = 0; start < data.length;) {
    const header = data.readUInt8(start);
    const hasExtension = (header & 4) !== 0;
    const hasSize = (header & 2) !== 0;
    start += hasExtension ? 2 : 1;
    let size = data.length - start;
    if (hasSize) {
      const { value, byteCount } = parseLeb128(data, start);
      size = value;
      start += byteCount;
    }
    if (size < 0 || start + size > data.length) throw new AppError('IMAGE_BROKEN');
    yield { type: (header >> 3) & 15, content: data.subarray(start, start + size) };
    start += size;
  }
}

/** An integer of variable length, seven bits in each byte. */
function parseLeb128(data: Buffer, start: number): { value: number; byteCount: number } {
  let value = 0;
  for (let index = 0; index < 8; index++) {
    const byte = data.readUInt8(start + index);
    value += (byte & 127) * 2 ** (7 * index);
    if (byte < 128) return { value, byteCount: index + 1 };
  }
  throw new AppError('IMAGE_BROKEN');
}

/** The largest frame that a sequence header allows (AV1 specification, 5.5.1). */
function parseFrameSize(header: Buffer): number {
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

  /** A number that begins with as many zeros as it has bits. */
  skipUvlc(): void {
    let zeros = 0;
    while (this.read(1) === 0) zeros += 1;
    // Decoders do not agree on longer ones.
    if (zeros > 31) throw new AppError('IMAGE_BROKEN');
    this.skip(zeros);
  }
}
