import type { CallReply } from '#contract/http.ts';
import { routes, toRouteUrl } from '#contract/routes.ts';
import { call, toError, NetworkError } from '#web/api.ts';
import { isPdfFile, maxPdfMs } from './pdf-file.ts';
import type { PictureSize } from '#web/sync/outbox/outbox-storage.ts';

type UploadedPicture = CallReply<'uploadImage'>;

/** Picture operations of the server and the browser. Tests pass their own. */
export interface PictureCalls {
  /**
   * @param onProgress receives the uploaded share, from 0 to 1
   * @throws {RejectedError} if the server rejects the upload, or another error if no response arrives
   */
  upload(
    classId: string,
    bytes: Blob,
    onProgress: (share: number) => void,
    signal: AbortSignal,
    asStaff: boolean,
  ): Promise<Pick<UploadedPicture, 'imageId'>>;
  /** Deletes an upload that no message uses. */
  remove(classId: string, imageId: string): Promise<unknown>;
  /** Null if this browser cannot decode the picture. The server may support more formats. */
  measure(bytes: Blob): Promise<PictureSize | null>;
  /** Converts HEIC or AVIF, which the server does not decode. Null if this browser cannot. */
  convert(bytes: Blob): Promise<Blob | null>;
  /** Makes a smaller copy of a large photo. Null if the picture should be sent as it is. */
  shrink(bytes: Blob, size: PictureSize): Promise<Blob | null>;
}

/** An upload fails if no byte moves in either direction for this long. */
const idleTimeoutMs = 60_000;

export const browserPictures: PictureCalls = {
  upload,
  remove: (classId, imageId) => call('deleteImage', { params: { classId, imageId } }),
  measure,
  convert,
  shrink,
};

/** Uses XMLHttpRequest, because fetch does not report upload progress in every browser. */
function upload(
  classId: string,
  bytes: Blob,
  onProgress: (share: number) => void,
  signal: AbortSignal,
  asStaff: boolean,
): Promise<UploadedPicture> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let idleTimer = setTimeout(() => request.abort(), idleTimeoutMs);
    const restartIdleTimer = (timeoutMs = idleTimeoutMs) => {
      clearTimeout(idleTimer);
      idleTimer = setTimeout(() => request.abort(), timeoutMs);
    };
    const abort = () => request.abort();
    signal.addEventListener('abort', abort);
    request.addEventListener('loadend', () => {
      clearTimeout(idleTimer);
      signal.removeEventListener('abort', abort);
    });
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      restartIdleTimer();
      if (total > 0) onProgress(loaded / total);
    });
    request.upload.addEventListener('load', () => {
      if (isPdfFile(bytes)) restartIdleTimer(maxPdfMs);
    });
    for (const end of ['error', 'abort']) {
      request.addEventListener(end, () => reject(new NetworkError()));
    }
    request.addEventListener('load', () => {
      const body: unknown = request.response;
      if (request.status === 200 && typeof body === 'object' && body !== null) {
        return resolve(body as UploadedPicture);
      }
      const { status } = request;
      const retryAfter = request.getResponseHeader('retry-after');
      reject(toError({ status, body, retryAfter }, 'picture'));
    });
    const query = asStaff ? { as: 'staff' as const } : {};
    request.open(
      routes.uploadImage.method,
      toRouteUrl('uploadImage', { params: { classId }, query }),
    );
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.responseType = 'json';
    request.send(bytes);
  });
}

async function measure(bytes: Blob): Promise<PictureSize | null> {
  const url = URL.createObjectURL(bytes);
  try {
    const image = new Image();
    await new Promise((resolve, reject) => {
      image.addEventListener('load', resolve);
      image.addEventListener('error', reject);
      image.src = url;
    });
    const { naturalWidth: width, naturalHeight: height } = image;
    return width > 0 && height > 0 ? { width, height } : null;
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The server shows at most this many pixels, so a larger canvas would only cost memory. */
const maxCanvasPixels = 4096 * 3072;

async function convert(bytes: Blob): Promise<Blob | null> {
  const toScale = ({ width, height }: PictureSize) => Math.sqrt(maxCanvasPixels / (width * height));
  // The name of the layer that makes a picture transparent, which JPEG cannot be.
  const hasTransparency = new TextDecoder('latin1')
    .decode(await bytes.arrayBuffer())
    .includes('auxiliary:alpha');
  return draw(bytes, toScale, hasTransparency ? 'image/webp' : 'image/jpeg', 0.92);
}

/** The longest side of a picture that is sent as it is, and of a smaller copy. */
const maxSide = 1600; // PIC-92
/** The details of a longer picture, such as a scrolled screenshot, need its pixels. */
const maxRatio = 2.5; // PIC-92

async function shrink(bytes: Blob, { width, height }: PictureSize): Promise<Blob | null> {
  const side = Math.max(width, height);
  if (side <= maxSide || side > maxRatio * Math.min(width, height)) return null;
  const type = findCopyType(new Uint8Array(await bytes.slice(0, 32).arrayBuffer()));
  const copy = type && (await draw(bytes, () => maxSide / side, type, 0.85));
  return copy && copy.size < bytes.size ? copy : null;
}

/** The bit in the header of a WebP file. */
const animationFlag = 0x02;

/** @returns null if the picture may be animated */
function findCopyType(start: Uint8Array): string | null {
  const text = String.fromCharCode(...start);
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  const isAnimated = text.startsWith('VP8X', 12) && ((start[20] ?? 0) & animationFlag) !== 0;
  const isStillWebp = text.startsWith('WEBP', 8) && !isAnimated;
  const canHaveTransparency = isStillWebp || text.startsWith('\x89PNG');
  // Browsers that cannot encode WebP make a PNG.
  return canHaveTransparency ? 'image/webp' : null;
}

/** Draws the upright picture in another size. @returns null if this browser cannot */
async function draw(
  bytes: Blob,
  toScale: (size: PictureSize) => number,
  type: string,
  quality: number,
): Promise<Blob | null> {
  try {
    const bitmap = await createImageBitmap(bytes, { imageOrientation: 'from-image' });
    const scale = Math.min(1, toScale(bitmap));
    const width = Math.round(bitmap.width * scale);
    const height = Math.round(bitmap.height * scale);
    const { canvas, context } = createCanvas(width, height);
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, 0, 0, width, height);
    bitmap.close();
    if (!canReadCanvas()) return null;
    return await new Promise((resolve) => canvas.toBlob(resolve, type, quality));
  } catch {
    return null;
  }
}

/** @throws if the browser has no memory for it */
function createCanvas(width: number, height: number) {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('There is no canvas.');
  return { canvas, context };
}

/** False in browsers that resist fingerprinting, such as Tor Browser: they return noise instead of the drawn picture. */
function canReadCanvas(): boolean {
  const color = [54, 80, 126, 255];
  const { context } = createCanvas(4, 4);
  context.fillStyle = `rgb(${color.slice(0, 3).join(' ')})`;
  context.fillRect(0, 0, 4, 4);
  const { data } = context.getImageData(0, 0, 4, 4);
  return data.every((value, n) => Math.abs(value - (color[n % 4] ?? 0)) < 8);
}
