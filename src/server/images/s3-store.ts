// Stores pictures as objects of one S3 bucket. Only this server accesses the bucket; browsers never do.
import { hash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import type { S3Config } from '../config.ts';
import type { Log } from '../log.ts';
import { StartupError } from '../startup-failure.ts';
import { contentTypeOf } from '../storage/queries/images.ts';
import type { ImageStore } from './image-store.ts';

/**
 * The timeout until S3 responds, in addition to the time for sending a file. Reading the body of the response has
 * no timeout.
 */
const timeoutMs = 20_000;
const minBytesPerMs = 1000;
const maxAttempts = 2;
/** A monitor waits for the answer. */
const checkLimits = { timeoutMs: 1_500, attempts: 1 };

export function s3Store(config: S3Config): ImageStore {
  return {
    async put(name, content) {
      await expectOk(await request(config, 'PUT', name, content));
    },
    async open(name) {
      const response = await request(config, 'GET', name);
      const { body } = response;
      if (response.status === 404) await body?.cancel();
      if (response.status === 404) return null;
      if (!response.ok || !body) throw await toError(response);
      return { bytes: Number(response.headers.get('content-length')), content: body };
    },
    async delete(name) {
      const response = await request(config, 'DELETE', name);
      if (response.status !== 404) await expectOk(response);
    },
    async check() {
      const response = await request(config, 'GET', 'none', undefined, checkLimits);
      const code = codeIn(await response.text());
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
  const response = await request(config, 'GET', 'none').catch((error: unknown) => {
    log.warn('image.store-unreachable', { error });
  });
  if (!response) return;
  const code = codeIn(await response.text());
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

/** Uses path-style URLs (endpoint/bucket/key), which every S3 server supports. */
async function request(
  { endpoint, bucket, region, accessKeyId, secretAccessKey }: S3Config,
  method: 'GET' | 'PUT' | 'DELETE',
  name: string,
  content?: Uint8Array<ArrayBuffer>,
  limits = { timeoutMs, attempts: maxAttempts },
): Promise<Response> {
  const signer = new AwsV4Signer({
    method,
    url: `${endpoint}/${bucket}/images/${name}`,
    headers: {
      'x-amz-content-sha256': hash('sha256', content ?? '', 'hex'),
      ...(content ? { 'content-type': contentTypeOf(name) } : {}),
    },
    service: 's3',
    region,
    accessKeyId,
    secretAccessKey,
  });
  const { url, headers } = await signer.sign();
  const init = { method, headers, ...(content ? { body: content } : {}) };
  const sendingMs = (content?.length ?? 0) / minBytesPerMs;
  // All of these requests are idempotent.
  for (let attemptsLeft = limits.attempts - 1; ; attemptsLeft--) {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), limits.timeoutMs + sendingMs);
    try {
      const response = await fetch(url, { ...init, signal: timeout.signal });
      if (response.status < 500 || attemptsLeft === 0) return response;
      await response.body?.cancel();
    } catch (error) {
      if (attemptsLeft === 0) throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

async function expectOk(response: Response): Promise<void> {
  if (!response.ok) throw await toError(response);
  await response.body?.cancel();
}

/** S3's error codes come from a fixed list and are safe to log. */
class S3Error extends Error {
  override name = 'S3Error';
  readonly code: string;
  constructor(status: number, code: string | undefined) {
    super('The S3 request failed.');
    this.code = `${status} ${code ?? ''}`.trim();
  }
}

async function toError(response: Response): Promise<S3Error> {
  return new S3Error(response.status, codeIn(await response.text()));
}

function codeIn(xml: string): string | undefined {
  return /<Code>(\w{1,40})<\/Code>/.exec(xml)?.[1];
}
