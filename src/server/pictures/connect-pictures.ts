// Connects the parts of pictures: the store, the space that is left, the processes that decode files, and the limits.
import type { ServerCore } from '#server/accounts/server-core.ts';
import type { StopTogether } from '#server/base/stop-together.ts';
import type { DecodingTime } from './decoding-turns.ts';
import type { ImageStore } from './image-store.ts';
import { Images } from './images.ts';
import { createPdfProcessor } from './pdf/pdf-processor.ts';
import { createPictureProcessor, PictureProcess } from './picture-processor.ts';
import { createUploadSpace, type UploadSpace } from './upload-space.ts';

export interface ConnectedPictures {
  imageStore: ImageStore;
  uploadSpace: UploadSpace;
  images: Images;
}

export function connectPictures(
  stopTogether: StopTogether,
  server: ServerCore,
  imageStore: ImageStore,
  pictureProcess = new PictureProcess(server.sandbox),
): ConnectedPictures {
  const { config, db, sandbox, limiter, log, metrics } = server;
  const uploadSpace = createUploadSpace(db, config, log);
  const createDecodingTime = (rate: 'pictureSeconds' | 'pdfSeconds'): DecodingTime => ({
    isUsedUp: (accountId) => limiter.isExhausted(rate, accountId),
    add: (accountId, seconds) => limiter.countUnchecked(rate, accountId, seconds),
  });
  const onFailed = () => metrics.count('pictures', 'failed');
  const pictureTime = createDecodingTime('pictureSeconds');
  const pdfTime = createDecodingTime('pdfSeconds');
  const images = new Images(server, imageStore, uploadSpace, {
    pictures: createPictureProcessor(log, pictureProcess, pictureTime, onFailed),
    pdfs: createPdfProcessor(log, sandbox, pdfTime, onFailed),
  });
  stopTogether.defer(() => images.stop());
  return { imageStore, uploadSpace, images };
}
