import type { Picture, Quote } from './entities.ts';

/** Whether the bytes are a PDF. Like PDF readers, this function accepts other bytes before the header. */
export function isPdf(file: Uint8Array): boolean {
  return String.fromCharCode(...file.subarray(0, 1024)).includes('%PDF-');
}

/** The counts of a quote. */
export function toImageCounts(
  images: readonly Pick<Picture, 'pages'>[],
): Pick<Quote, 'imageCount' | 'pdfCount'> {
  const pdfCount = images.filter(({ pages }) => pages !== undefined).length;
  return { imageCount: images.length, ...(pdfCount > 0 && { pdfCount }) };
}
