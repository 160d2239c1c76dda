import { thumbHashToRGBA } from 'thumbhash';

/** Draws the ThumbHash of a picture: a blurred preview of a few pixels. */
export function paintPlaceholder(canvas: HTMLCanvasElement, hash: string): void {
  const bytes = Uint8Array.from(atob(hash), (character) => character.charCodeAt(0));
  const { w, h, rgba } = thumbHashToRGBA(bytes);
  canvas.width = w;
  canvas.height = h;
  const pixels = new ImageData(new Uint8ClampedArray(rgba), w, h);
  canvas.getContext('2d')?.putImageData(pixels, 0, 0);
}
