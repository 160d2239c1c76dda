// Opens the store that the settings name.
import type { Config } from '#server/config/config-types.ts';
import type { Log } from '#server/base/log.ts';
import { createDiskStore, type ImageStore } from './image-store.ts';
import { checkBucket, createS3Store } from './s3-store.ts';

/** @throws {StartupError} if S3 answers but rejects the settings */
export async function openImageStore(config: Config['images'], log: Log): Promise<ImageStore> {
  if (config.kind === 'disk') return createDiskStore(config.dir);
  await checkBucket(config, log);
  return createS3Store(config);
}
