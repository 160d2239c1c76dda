import type { PictureSize } from '#web/sync/outbox/outbox-storage.ts';

/** The maximum size of a picture in the room, in CSS pixels. */
const maxSize = { width: 440, height: 340 };
/**
 * Width divided by height. A picture outside this range is cropped in the room and shown whole when enlarged.
 */
const ratios = { min: 0.4, max: 4 };
/** The size of a picture that this browser cannot decode. */
const unknownSize: PictureSize = { width: 240, height: 180 };

/** The box that is reserved before the picture loads. */
export function toFramedSize(size: PictureSize | null): PictureSize {
  const { width, height } = size ?? unknownSize;
  const ratio = Math.min(ratios.max, Math.max(ratios.min, width / height));
  const framedWidth = Math.min(width, maxSize.width, maxSize.height * ratio);
  return { width: Math.round(framedWidth), height: Math.round(framedWidth / ratio) };
}

/** Matches the server's thumbnail limits. A small mismatch only makes the browser choose another file. */
const thumb = { pixels: 600 * 600, side: 1200 };

/** The approximate width of the smaller version in pixels. */
export function toThumbWidth({ width, height }: PictureSize): number {
  const areaScale = Math.sqrt(thumb.pixels / (width * height));
  const scale = Math.min(1, areaScale, thumb.side / Math.max(width, height));
  return Math.max(1, Math.round(width * scale));
}
