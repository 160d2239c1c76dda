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
  /** Converts a format that only some browsers can decode. Null if this one cannot. */
  toJpeg(bytes: Blob): Promise<Blob | null>;
}

/** An upload fails if no byte moves in either direction for this long. */
const idleTimeoutMs = 60_000;

export const browserPictures: PictureCalls = {
  upload,
  remove: (classId, imageId) => call('deleteImage', { params: { classId, imageId } }),
  measure,
  toJpeg,
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

async function toJpeg(bytes: Blob): Promise<Blob | null> {
  try {
    const bitmap = await createImageBitmap(bytes);
    const { width, height } = bitmap;
    const scale = Math.min(1, Math.sqrt(maxCanvasPixels / (width * height)));
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
    return await new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.92));
  } catch {
    return null;
  }
}
