// Rejects files that cost a decoder far more work than their number of pixels suggests. The check reads a file without decoding it.
// The processes that decode files have limits, too, for costs that this check does not find (PIC-8).
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';

/** Each scan of a progressive JPEG is a pass over all pixels. Cameras and programs write about ten. */
const maxScans = 100; // PIC-87

/** @throws {AppError} IMAGE_TOO_ANIMATED, IMAGE_BROKEN */
export function checkCosts(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    if (file.toString('latin1', 0, 4) === 'RIFF') checkFrames(file);
    if (file[0] === 0xff && file[1] === 0xd8) checkScans(file);
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The check read outside of the file.
    throw new AppError('IMAGE_BROKEN');
  }
}

/** Limits the frames of a WebP, because libwebp lists n frames in a time that grows with the square of n. */
function checkFrames(file: Buffer): void {
  let frames = 0;
  for (let start = 12; start + 8 <= file.length;) {
    if (file.toString('latin1', start, start + 4) === 'ANMF') frames += 1;
    if (frames > limits.imageFrames) throw new AppError('IMAGE_TOO_ANIMATED');
    const size = file.readUInt32LE(start + 4);
    start += 8 + size + (size % 2);
  }
}

function checkScans(file: Buffer): void {
  const startOfScan = 0xda;
  const endOfImage = 0xd9;
  let scans = 0;
  for (let start = 2; ;) {
    start = file.indexOf(0xff, start);
    if (start === -1 || start + 4 > file.length) return;
    const marker = file[start + 1] ?? 0;
    // Phones append videos.
    if (marker === endOfImage) return;
    if (marker === startOfScan) scans += 1;
    if (scans > maxScans) throw new AppError('IMAGE_BROKEN');
    start += hasLength(marker) ? 2 + file.readUInt16BE(start + 2) : 1;
  }
}

/** Within the data of a scan, 0xff is followed by 0 or by a restart marker. */
function hasLength(marker: number): boolean {
  return marker >= 0xc0 && marker < 0xff && !(marker >= 0xd0 && marker <= 0xd9);
}
