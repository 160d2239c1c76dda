// Stores pictures as objects of one S3 bucket. Only this server accesses the bucket; browsers never do.
import { hash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import type { S3Config } from '../config.ts';
import type { Log } from '../log.ts';
import { StartupError } from '../startup-failure.ts';
import type { ImageStore } from './image-store.ts';

/** The timeout until S3 responds. Reading the body of the response has no timeout. */
const maxMs = 20_000;
const tries = 2;

export function s3Store(config: S3Config): ImageStore {
  return {
    async put(name, content) {
      await take(await request(config, 'PUT', name, content));
    },
    async open(name) {
      const response = await request(config, 'GET', name);
      const { body } = response;
      if (response.status === 404) await body?.cancel();
      if (response.status === 404) return null;
      if (!response.ok || !body) throw await failure(response);
      return { bytes: Number(response.headers.get('content-length')), content: body };
    },
    async delete(name) {
      const response = await request(config, 'DELETE', name);
      if (response.status !== 404) await take(response);
    },
  };
}

/**
 * Reports wrong S3 settings at startup. If S3 does not answer, this only logs a warning, because the
 * chat works without it.
 *
 * @throws {StartupError}
 */
export async function checkBucket(config: S3Config, log: Log): Promise<void> {
  const response = await request(config, 'GET', 'none').catch((error: unknown) => {
    log.warn('image.store-unreachable', { error });
  });
  if (!response) return;
  const code = codeIn(await response.text());
  if (response.ok || code === 'NoSuchKey') return;
  if (code === 'NoSuchBucket') {
    throw new StartupError('S3_BUCKET names no bucket at S3_ENDPOINT. Make it first.');
  }
  if (response.status === 403) {
    throw new StartupError(
      'S3 does not let these keys read S3_BUCKET. They need to list it, and to get, put and delete objects.',
    );
  }
  log.warn('image.store-unreachable', { status: response.status });
}

/** Uses path-style URLs (endpoint/bucket/key), which every S3 server supports. */
async function request(
  { endpoint, bucket, region, accessKeyId, secretAccessKey }: S3Config,
  method: 'GET' | 'PUT' | 'DELETE',
  name: string,
  content?: Uint8Array<ArrayBuffer>,
): Promise<Response> {
  const signer = new AwsV4Signer({
    method,
    url: `${endpoint}/${bucket}/images/${name}`,
    headers: {
      'x-amz-content-sha256': hash('sha256', content ?? '', 'hex'),
      ...(content ? { 'content-type': 'image/webp' } : {}),
    },
    service: 's3',
    region,
    accessKeyId,
    secretAccessKey,
  });
  const { url, headers } = await signer.sign();
  const init = { method, headers, ...(content ? { body: content } : {}) };
  // All of these requests are idempotent.
  for (let left = tries - 1; ; left--) {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), maxMs);
    try {
      const response = await fetch(url, { ...init, signal: late.signal });
      if (response.status < 500 || left === 0) return response;
      await response.body?.cancel();
    } catch (error) {
      if (left === 0) throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

async function take(response: Response): Promise<void> {
  if (!response.ok) throw await failure(response);
  await response.body?.cancel();
}

/** S3's error codes come from a fixed list and are safe to log. */
class S3Failure extends Error {
  override name = 'S3Failure';
  readonly code: string;
  constructor(status: number, code: string | undefined) {
    super('S3 refused.');
    this.code = `${status} ${code ?? ''}`.trim();
  }
}

async function failure(response: Response): Promise<S3Failure> {
  return new S3Failure(response.status, codeIn(await response.text()));
}

function codeIn(xml: string): string | undefined {
  return /<Code>(\w{1,40})<\/Code>/.exec(xml)?.[1];
}
