import type { PictureSize } from '#web/sync/outbox-storage.ts';

/** How large a picture stands in the room, at most, in CSS pixels. */
const most = { width: 440, height: 340 };
/** Longer and taller ones are cut at their edges here, and whole when they are enlarged. */
const ratios = { least: 0.4, most: 4 };
/** Of what this browser cannot show. */
const unknown: PictureSize = { width: 240, height: 180 };

/** The box that a picture is given before any of it has come. */
export function frameOf(size: PictureSize | null): PictureSize {
  const { width, height } = size ?? unknown;
  const ratio = Math.min(ratios.most, Math.max(ratios.least, width / height));
  const framed = Math.min(width, most.width, most.height * ratio);
  return { width: Math.round(framed), height: Math.round(framed / ratio) };
}

/** How the server makes them; a little off, and a browser only chooses another file. */
const thumb = { pixels: 600 * 600, side: 1200 };

/** About how wide a picture's smaller version is, in its own pixels. */
export function thumbWidth({ width, height }: PictureSize): number {
  const byArea = Math.sqrt(thumb.pixels / (width * height));
  const scale = Math.min(1, byArea, thumb.side / Math.max(width, height));
  return Math.max(1, Math.round(width * scale));
}
