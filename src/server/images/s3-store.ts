// Pictures as objects of one bucket, asked for by this server alone: browsers never see S3.
import { hash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import type { S3Config } from '../config.ts';
import type { Log } from '../log.ts';
import { StartupError } from '../startup-failure.ts';
import type { ImageStore } from './image-store.ts';

/** A request without an answer by then has failed. Its body may take as long as a reader takes. */
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
 * What S3 says to these settings is said at the start. One that does not answer may come back: the
 * chat does not wait for it.
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

/** In the path style (endpoint/bucket/key), which every server speaks. */
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
  // Each of these may be done twice.
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

/** What S3 says is a word of its own list, and safe to log. */
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
