// Decodes an uploaded file to pixels and encodes new files from them, so that nothing else of the
// upload survives. It runs in a separate process (picture-worker.ts), because attacks target decoders.
import sharp, { type OutputInfo, type Raw, type Sharp } from 'sharp';
import { rgbaToThumbHash } from 'thumbhash';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import type { PictureProperties } from '#server/chat/attachments/attachments.ts';
import { checkCosts } from './check-costs.ts';

export interface ProcessedPicture {
  shape: PictureProperties;
  /** WebP that contains only pixels. */
  display: Uint8Array<ArrayBuffer>;
  thumb: Uint8Array<ArrayBuffer>;
}

sharp.cache(false);
sharp.concurrency(1);
// Only these decoders are enabled. A file that none of them accepts is not a picture.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif'].map((format) => `VipsForeignLoad${format}Buffer`),
});

/**
 * The maximum size is more pixels than a screen has. A long, narrow picture keeps its length, so that it stays readable.
 */
const displaySize = { pixels: 2048 * 2048, side: 8192 };
/** The maximum is smaller for animations, because every browser that shows the room decodes them. */
const animatedSize = { pixels: 640 * 640, side: 1280 };
const thumbSize = { pixels: 600 * 600, side: 1200 };
const placeholderSide = 100;

/**
 * @throws {AppError} IMAGE_NOT_A_PICTURE, IMAGE_TOO_MANY_PIXELS, IMAGE_TOO_ANIMATED, IMAGE_BROKEN
 */
export async function processPicture(file: Uint8Array): Promise<ProcessedPicture> {
  checkCosts(file);
  const { width, height, frames } = await parseHeader(file);
  if (width * height > limits.imagePixels) throw new AppError('IMAGE_TOO_MANY_PIXELS');
  const tooAnimated =
    frames > limits.imageFrames || frames * width * height > limits.animationPixels;
  if (frames > 1 && tooAnimated) throw new AppError('IMAGE_TOO_ANIMATED');
  try {
    const still = await decodeStill(file, fitInto(displaySize, width, height));
    const moving = frames > 1 ? await animate(file, fitInto(animatedSize, width, height)) : null;
    const { data, info } = moving ?? (await encode(still.pixels, 82));
    if (data.length > limits.imageBytes) throw new AppError('IMAGE_TOO_ANIMATED');
    const small = fitInto(thumbSize, still.width, still.height);
    const thumb = await encode(still.pixels.clone().resize({ ...small, fit: 'fill' }), 75);
    return {
      shape: {
        width: info.width,
        height: info.pageHeight ?? info.height,
        placeholder: await createPlaceholder(still.pixels),
        animated: frames > 1,
      },
      display: data,
      thumb: thumb.data,
    };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('IMAGE_BROKEN');
  }
}

/** Reads the upright size and the frame count without decoding pixels. */
async function parseHeader(file: Uint8Array) {
  try {
    const image = sharp(file, { limitInputPixels: false });
    const { format, pages = 1, autoOrient } = await image.metadata();
    const moves = format === 'gif' || format === 'webp';
    return { width: autoOrient.width, height: autoOrient.height, frames: moves ? pages : 1 };
  } catch (error) {
    // sharp has no error code for a file that no decoder knows, so its message is examined.
    const unknown = error instanceof Error && /unsupported image format|empty/.test(error.message);
    throw new AppError(unknown ? 'IMAGE_NOT_A_PICTURE' : 'IMAGE_BROKEN');
  }
}

interface Size {
  width: number;
  height: number;
}

/** Decodes the first frame, upright and in sRGB, small enough to keep in memory. */
async function decodeStill(file: Uint8Array, size: Size): Promise<Size & { pixels: Sharp }> {
  const { data, info } = await sharp(file, {
    failOn: 'error',
    limitInputPixels: limits.imagePixels,
    sequentialRead: true,
  })
    .autoOrient()
    .resize({ ...size, fit: 'fill' })
    .toColorspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const raw: Raw = { width, height, channels };
  return { width, height, pixels: sharp(data, { raw }) };
}

async function animate(file: Uint8Array, size: Size): Promise<Encoded> {
  return sharp(file, {
    animated: true,
    failOn: 'error',
    limitInputPixels: limits.animationPixels,
    sequentialRead: true,
  })
    .resize({ ...size, fit: 'fill' })
    .webp({ quality: 75, effort: 2 })
    .toBuffer({ resolveWithObject: true });
}

interface Encoded {
  data: Buffer<ArrayBuffer>;
  info: OutputInfo & { pageHeight?: number };
}

function encode(pixels: Sharp, quality: number): Promise<Encoded> {
  return pixels
    .clone()
    .webp({ quality, smartSubsample: true })
    .toBuffer({ resolveWithObject: true });
}

async function createPlaceholder(pixels: Sharp): Promise<string> {
  const { data, info } = await pixels
    .clone()
    .resize({ width: placeholderSide, height: placeholderSide, fit: 'inside' })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64');
}

/** Computes the size within the maximum. It keeps the proportions, and never enlarges the picture. */
function fitInto(max: { pixels: number; side: number }, width: number, height: number): Size {
  const scale = Math.min(
    1,
    Math.sqrt(max.pixels / (width * height)),
    max.side / Math.max(width, height),
  );
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
}
