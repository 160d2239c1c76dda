import { routeUrl } from '#contract/route-url.ts';
import { routes } from '#contract/routes.ts';
import { call, errorFrom, Unreachable } from '../api.ts';
import type { PictureSize } from './outbox-storage.ts';
import type { PictureCalls, UploadedPicture } from './picture-calls.ts';

/** An upload fails if no byte moves in either direction for this long. */
const silenceMs = 60_000;

export const browserPictures: PictureCalls = {
  upload,
  remove: (classId, imageId) => call('deleteImage', { params: { classId, imageId } }),
  measure,
};

/** Uses XMLHttpRequest, because fetch does not report upload progress in every browser. */
function upload(
  classId: string,
  bytes: Blob,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<UploadedPicture> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let silence = setTimeout(() => request.abort(), silenceMs);
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => request.abort(), silenceMs);
    };
    const abort = () => request.abort();
    signal.addEventListener('abort', abort);
    request.addEventListener('loadend', () => {
      clearTimeout(silence);
      signal.removeEventListener('abort', abort);
    });
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      heard();
      if (total > 0) onProgress(loaded / total);
    });
    for (const end of ['error', 'abort']) {
      request.addEventListener(end, () => reject(new Unreachable()));
    }
    request.addEventListener('load', () => {
      const body: unknown = request.response;
      if (request.status === 200 && typeof body === 'object' && body !== null) {
        return resolve(body as UploadedPicture);
      }
      const { status } = request;
      const retryAfter = request.getResponseHeader('retry-after');
      reject(errorFrom({ status, body, retryAfter }, 'picture'));
    });
    request.open(routes.uploadImage.method, routeUrl('uploadImage', { params: { classId } }));
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
