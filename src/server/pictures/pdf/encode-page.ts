// Encodes the pixels of a page as an image of a PDF.
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import sharp from 'sharp';

export interface PageImage {
  width: number;
  height: number;
  /** The entries of the image's dictionary that describe `data`. */
  encoding: string;
  data: Uint8Array;
}

/** Pixels in sRGB, three bytes each. */
export interface Pixels {
  width: number;
  height: number;
  rgb: Uint8Array;
}

/**
 * Encodes a page. Text and line art get a palette, which keeps letters sharp and takes a third of JPEG's bytes.
 * Photographs and gradients need JPEG.
 */
export async function encodePage({ width, height, rgb }: Pixels): Promise<PageImage> {
  const indexedPixels = toPalette(rgb);
  if (indexedPixels) {
    const colors = `[/Indexed /DeviceRGB ${indexedPixels.palette.length / 3 - 1} <${indexedPixels.palette.toString('hex')}>]`;
    return {
      width,
      height,
      encoding: `/ColorSpace ${colors} /BitsPerComponent 8 /Filter /FlateDecode`,
      data: await promisify(deflate)(indexedPixels.indexes),
    };
  }
  return {
    width,
    height,
    encoding: '/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode',
    data: await sharp(rgb, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: 80 })
      .toBuffer(),
  };
}

const maxColors = 256;
/** The palette may change the edges of letters slightly. It would change almost every pixel of a gradient, and show bands. */
const maxChangedShare = 0.2;

/** Merges colors that agree in the first five bits of each channel. @returns null if the change would be visible */
function toPalette(rgb: Uint8Array): { palette: Buffer; indexes: Uint8Array } | null {
  const indexOf = new Int16Array(1 << 15).fill(-1);
  const palette = Buffer.alloc(maxColors * 3);
  const indexes = new Uint8Array(rgb.length / 3);
  let colors = 0;
  let changedPixels = 0;
  for (let from = 0, pixel = 0; pixel < indexes.length; from += 3, pixel++) {
    const red = rgb[from] ?? 0;
    const green = rgb[from + 1] ?? 0;
    const blue = rgb[from + 2] ?? 0;
    const bin = ((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3);
    let index = indexOf[bin] ?? -1;
    if (index === -1) {
      if (colors === maxColors) return null;
      index = indexOf[bin] = colors++;
      palette.set([red, green, blue], index * 3);
    }
    indexes[pixel] = index;
    const offset = index * 3;
    const isExact =
      palette[offset] === red && palette[offset + 1] === green && palette[offset + 2] === blue;
    if (!isExact) changedPixels++;
  }
  if (changedPixels > indexes.length * maxChangedShare) return null;
  return { palette: palette.subarray(0, colors * 3), indexes };
}
