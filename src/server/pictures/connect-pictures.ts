// Connects the parts of pictures: the store, the space that is left, the processes that decode files, and the limits.
import type { FileSandbox } from '#server/base/file-worker.ts';
import type { Limiter } from '#server/base/limiter.ts';
import type { Log } from '#server/base/log.ts';
import type { WorkCounter } from '#server/base/metrics.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import type { StopTogether } from '#server/base/stop-together.ts';
import type { Config } from '#server/config/config-types.ts';
import type { BackgroundLease } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import type { DecodingTime } from './decoding-turns.ts';
import type { ImageStore } from './image-store.ts';
import { Images } from './images.ts';
import { createPdfProcessor } from './pdf/pdf-processor.ts';
import { createPictureProcessor, PictureProcess } from './picture-processor.ts';
import { createUploadSpace, type UploadSpace } from './upload-space.ts';

interface Options {
  config: Config;
  db: Database;
  commits: CommitQueue;
  keys: Pick<ServerKeys, 'personas'>;
  imageStore: ImageStore;
  sandbox: Promise<FileSandbox>;
  pictureProcess?: PictureProcess;
  limiter: Limiter;
  lease: BackgroundLease;
  log: Log;
  metrics: WorkCounter;
}

export interface ConnectedPictures {
  imageStore: ImageStore;
  uploadSpace: UploadSpace;
  images: Images;
}

export function connectPictures(stopTogether: StopTogether, options: Options): ConnectedPictures {
  const { config, db, commits, keys, imageStore, sandbox, limiter, lease, log, metrics } = options;
  const { pictureProcess = new PictureProcess(sandbox) } = options;
  const uploadSpace = createUploadSpace(db, config, log);
  const createDecodingTime = (rate: 'pictureSeconds' | 'pdfSeconds'): DecodingTime => ({
    isUsedUp: (accountId) => limiter.isExhausted(rate, accountId),
    add: (accountId, seconds) => limiter.countUnchecked(rate, accountId, seconds),
  });
  const onFailed = () => metrics.count('pictures', 'failed');
  const images = new Images({
    db,
    commits,
    store: imageStore,
    processor: createPictureProcessor({
      log,
      process: pictureProcess,
      decodingTime: createDecodingTime('pictureSeconds'),
      onFailed,
    }),
    pdfProcessor: createPdfProcessor({
      log,
      sandbox,
      decodingTime: createDecodingTime('pdfSeconds'),
      onFailed,
    }),
    countPdf(accountId) {
      limiter.take('pdfs', accountId, 1, 'PDF_TOO_MANY');
      return () => limiter.refund('pdfs', accountId);
    },
    countBytes(accountId, bytes) {
      limiter.take('uploadKilobytes', accountId, bytes / 1000, 'TOO_MANY_BYTES');
      return () => limiter.refund('uploadKilobytes', accountId, bytes / 1000);
    },
    space: uploadSpace,
    personaKey: keys.personas,
    lease,
    log,
    metrics,
  });
  stopTogether.defer(() => images.stop());
  return { imageStore, uploadSpace, images };
}
