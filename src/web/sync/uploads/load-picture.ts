// Reads a file that a member adds, and checks it as far as the browser can. Loads on first use.
import { getText } from '#web/get-text.ts';
import { limits } from '#contract/limits.ts';
import { isPdf } from '#contract/pdf.ts';
import type { OutboxPicture } from '#web/sync/outbox/outbox-storage.ts';
import type { PictureCalls } from './browser-pictures.ts';
import { pdfType } from './pdf-file.ts';

export interface ReadPicture extends Pick<OutboxPicture, 'size'> {
  bytes: Blob;
  /** The original, if `bytes` is a smaller copy. */
  alternative: Blob | null;
  /** What the picture loses. */
  note?: string;
}

/** Copies the file, because it may change or disappear. Its name stays private. */
export async function loadPicture(
  file: File,
  calls: PictureCalls,
): Promise<ReadPicture | { problem: string }> {
  const isNamedPdf = file.type === pdfType;
  if (file.size > limits.imageBytes) {
    const pdfProblem = getText('error.PDF_TOO_LARGE');
    return { problem: isNamedPdf ? pdfProblem : getText('error.IMAGE_TOO_LARGE') }; // SEND-5
  }
  if (file.type && !file.type.startsWith('image/') && !isNamedPdf) {
    return { problem: getText('error.IMAGE_NOT_A_PICTURE') };
  }
  const content = await file.arrayBuffer().catch(() => null);
  if (!content) {
    return { problem: isNamedPdf ? getText('error.PDF_BROKEN') : getText('error.IMAGE_BROKEN') };
  }
  if (isPdf(new Uint8Array(content))) {
    return { bytes: new Blob([content], { type: pdfType }), alternative: null, size: null };
  }
  if (isNamedPdf) return { problem: getText('error.PDF_NOT_A_PDF') };
  const copy = new Blob([content], { type: file.type });
  const bytes = isHeif(new Uint8Array(content, 0, Math.min(12, content.byteLength)))
    ? await calls.convert(copy)
    : copy;
  if (!bytes) return { problem: heifMessage };
  if (bytes.size > limits.imageBytes) return { problem: getText('error.IMAGE_TOO_LARGE') };
  const size = await calls.measure(bytes);
  if (size && size.width * size.height > limits.imagePixels) {
    return { problem: getText('error.IMAGE_TOO_MANY_PIXELS') }; // SEND-5
  }
  const smallerCopy = size && (await calls.shrink(bytes, size));
  const picture = smallerCopy
    ? { bytes: smallerCopy, alternative: bytes, size }
    : { bytes, alternative: null, size };
  return isAnimatedPng(content) ? { ...picture, note: animatedPngNote } : picture;
}

/** The server's decoder reads only the first frame. PIC-96 */
const animatedPngNote =
  'An animated PNG does not move here. To show it moving, save it as GIF or WebP and add it again.';

/** Whether the chunk that makes a PNG an animation comes before its pixels. */
function isAnimatedPng(content: ArrayBuffer): boolean {
  const view = new DataView(content);
  const pngStart = 0x89_50_4e_47;
  const text = new TextDecoder('latin1');
  if (content.byteLength < 8 || view.getUint32(0) !== pngStart) return false;
  for (let start = 8; start + 8 <= content.byteLength; start += 12 + view.getUint32(start)) {
    const type = text.decode(new Uint8Array(content, start + 4, 4));
    if (type === 'acTL') return true;
    if (type === 'IDAT') return false;
  }
  return false;
}

const heifMessage =
  'This browser cannot read this picture (HEIC or AVIF). Please export it as JPEG and add it again.';

/** The brands of HEIC and AVIF, which the server does not decode. */
const heifBrands = new Set('heic heix heim heis hevc hevx mif1 msf1 avif avis'.split(' '));

function isHeif(start: Uint8Array): boolean {
  const text = String.fromCharCode(...start);
  return text.slice(4, 8) === 'ftyp' && heifBrands.has(text.slice(8, 12));
}
