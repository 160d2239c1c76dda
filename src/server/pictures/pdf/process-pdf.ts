// Draws the pages of an uploaded PDF and makes a new PDF from the pixels, so that nothing else of the upload
// survives. It runs in a separate process (pdf-worker.ts), because attacks target renderers.
import { ColorSpace, Matrix, PDFDocument, type PDFPage, setLog } from 'mupdf';
import sharp from 'sharp';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { isPdf } from '#contract/pdf.ts';
import { processPicture, type ProcessedPicture } from '#server/pictures/process-picture.ts';
import { encodePage, type Pixels } from './encode-page.ts';
import { writePdf, type ImagePage } from './write-pdf.ts';

export interface ProcessedPdf {
  /** A PDF that contains only pictures of the pages. */
  pdf: Uint8Array<ArrayBuffer>;
  pages: number;
  /** The first page. */
  preview: ProcessedPicture;
}

// MuPDF's warnings quote the file.
setLog({});

/** Pixels per point: 144 dpi, which is sharp on a screen and readable in print. */
const fullScale = 2;
const maxPage = { pixels: 2048 * 2048, side: 8192 };
/** A PDF with many pages has fewer pixels on each: 200 pages of A4 have 125 dpi. */
const maxPixels = 300_000_000;
/** The longest side of a page, in points, that every PDF reader accepts. */
const maxPoints = 14_400;

/**
 * @throws {AppError} PDF_TOO_LARGE, PDF_NOT_A_PDF, PDF_ENCRYPTED, PDF_TOO_MANY_PAGES, PDF_BROKEN,
 *   PDF_TOO_COMPLEX
 */
export async function processPdf(file: Uint8Array): Promise<ProcessedPdf> {
  if (file.length > limits.pdfBytes) throw new AppError('PDF_TOO_LARGE');
  // MuPDF also finds PDFs without a header, in files of every kind.
  if (!isPdf(file)) throw new AppError('PDF_NOT_A_PDF');
  try {
    return await redraw(new PDFDocument(file));
  } catch (error) {
    throw error instanceof AppError ? error : new AppError(toErrorCode(error));
  }
}

async function redraw(document: PDFDocument): Promise<ProcessedPdf> {
  if (document.needsPassword()) throw new AppError('PDF_ENCRYPTED');
  const count = document.countPages();
  if (count > limits.pdfPages) throw new AppError('PDF_TOO_MANY_PAGES');
  const pages: ImagePage[] = [];
  let preview: ProcessedPicture | null = null;
  let bytes = 0;
  for (let index = 0; index < count; index++) {
    const { pixels, ...size } = drawPage(document, index, maxPixels / count);
    const image = await encodePage(pixels);
    bytes += image.data.length;
    if (bytes > limits.pdfCopyBytes) throw new AppError('PDF_TOO_COMPLEX');
    pages.push({ image, ...size });
    preview ??= await createPreview(pixels);
  }
  if (!preview) throw new AppError('PDF_BROKEN');
  return { pdf: new Uint8Array(writePdf(pages)), pages: count, preview };
}

/** Draws what a reader shows of the page, with ink, notes and filled form fields. */
function drawPage(document: PDFDocument, index: number, maxShare: number) {
  const page = document.loadPage(index);
  const [x0, y0, x1, y1] = page.getBounds();
  const width = x1 - x0;
  const height = y1 - y0;
  const scale = Math.min(
    fullScale,
    Math.sqrt(Math.min(maxPage.pixels, maxShare) / (width * height)),
    maxPage.side / Math.max(width, height),
  );
  if (!(width > 0 && height > 0 && scale > 0)) throw new AppError('PDF_BROKEN');
  deleteNamingParts(page);
  const pixmap = page.toPixmap(Matrix.scale(scale, scale), ColorSpace.DeviceRGB, false, true);
  const pixels: Pixels = {
    width: pixmap.getWidth(),
    height: pixmap.getHeight(),
    // A copy, because the original is in MuPDF's memory.
    rgb: new Uint8Array(pixmap.getPixels()),
  };
  pixmap.destroy();
  page.destroy();
  const shrink = Math.min(1, maxPoints / Math.max(width, height));
  return { pixels, width: toPoints(width * shrink), height: toPoints(height * shrink) };
}

/** Deletes what programs draw with a name: the author's in a signature field, the file's in an attachment. PDF-25 */
function deleteNamingParts(page: PDFPage): void {
  for (const field of page.getWidgets()) {
    if (field.getFieldType() === 'signature') page.deleteAnnotation(field);
  }
  for (const annotation of page.getAnnotations()) {
    if (annotation.getType() === 'FileAttachment') page.deleteAnnotation(annotation);
  }
}

const toPoints = (length: number) => Math.max(1, Math.round(length * 100) / 100);

async function createPreview({ width, height, rgb }: Pixels): Promise<ProcessedPicture> {
  const raw = { width, height, channels: 3 } as const;
  return processPicture(await sharp(rgb, { raw }).png({ compressionLevel: 1 }).toBuffer());
}

/** MuPDF has no error codes. Its memory is limited by pdf-processor.ts. */
function toErrorCode(error: unknown): ErrorCode {
  const { name = '', message = '' } = error instanceof Error ? error : {};
  if (message.includes('encrypt')) return 'PDF_ENCRYPTED';
  // V8 throws a RuntimeError if WebAssembly's stack overflows.
  const isTooComplex = name === 'RuntimeError' || message.includes('alloc');
  return isTooComplex ? 'PDF_TOO_COMPLEX' : 'PDF_BROKEN';
}
