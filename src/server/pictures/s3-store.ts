// Stores pictures as objects of one S3 bucket. Only this server accesses the bucket; browsers never do.
import type { S3Config } from '#server/config/config-types.ts';
import type { Log } from '#server/base/log.ts';
import { parseErrorCode, expectOk, requestS3, S3Error, toS3Error } from '#server/base/s3-client.ts';
import { StartupError } from '#server/base/startup-failure.ts';
import { toContentType } from '#server/chat/attachments/attachment-queries.ts';
import type { ImageStore } from './image-store.ts';

const toKey = (name: string) => `images/${name}`;
/** A monitor waits for the answer. */
const checkLimits = { timeoutMs: 1_500, attempts: 1 };

export function createS3Store(config: S3Config): ImageStore {
  return {
    async put(name, content) {
      const contentType = toContentType(name);
      await expectOk(await requestS3(config, 'PUT', toKey(name), { content, contentType }));
    },
    async open(name) {
      const response = await requestS3(config, 'GET', toKey(name));
      const { body } = response;
      if (response.status === 404) await body?.cancel();
      if (response.status === 404) return null;
      if (!response.ok || !body) throw await toS3Error(response);
      return { bytes: Number(response.headers.get('content-length')), content: body };
    },
    async delete(name) {
      const response = await requestS3(config, 'DELETE', toKey(name));
      if (response.status !== 404) await expectOk(response);
    },
    async check() {
      const response = await requestS3(config, 'GET', toKey('none'), { limits: checkLimits });
      const code = parseErrorCode(await response.text());
      if (!response.ok && code !== 'NoSuchKey') throw new S3Error(response.status, code);
    },
  };
}

/**
 * If S3 does not answer, this only logs a warning, because the chat works without it.
 *
 * @throws {StartupError} if S3 answers but rejects the settings
 */
export async function checkBucket(config: S3Config, log: Log): Promise<void> {
  const response = await requestS3(config, 'GET', toKey('none')).catch((error: unknown) => {
    log.warn('image.store-unreachable', { error });
  });
  if (!response) return;
  const code = parseErrorCode(await response.text());
  if (response.ok || code === 'NoSuchKey') return;
  if (code === 'NoSuchBucket') {
    throw new StartupError(
      'The bucket of S3_BUCKET does not exist at S3_ENDPOINT. Create it first.',
    );
  }
  if (response.status === 403) {
    throw new StartupError(
      'The S3 keys cannot read S3_BUCKET. They need permission to list it, and to get, put and delete objects.',
    );
  }
  log.warn('image.store-unreachable', { status: response.status });
}
