import type { PictureSize } from '#web/sync/outbox-storage.ts';

/** How the server makes them; a little off, and a browser only chooses another file. */
const thumb = { pixels: 600 * 600, side: 1200 };

/** About how wide a picture's smaller version is, in its own pixels. */
export function thumbWidth({ width, height }: PictureSize): number {
  const byArea = Math.sqrt(thumb.pixels / (width * height));
  const scale = Math.min(1, byArea, thumb.side / Math.max(width, height));
  return Math.max(1, Math.round(width * scale));
}
