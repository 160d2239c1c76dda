// Signed requests to an S3 server.
import { hash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';

/** Where a bucket is, and the keys to it. */
export interface S3Access {
  bucket: string;
  /** A URL without a trailing slash. */
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

interface RequestParts {
  query?: Readonly<Record<string, string>>;
  content?: Uint8Array<ArrayBuffer>;
  contentType?: string;
  limits?: { timeoutMs: number; attempts: number };
}

/** The slowest upload. Sending a file extends the timeout by the time that the file takes at this rate. */
const minBytesPerMs = 1000;
/** The timeout ends when S3 responds: reading the body of the response has no timeout. */
const usualLimits = { timeoutMs: 20_000, attempts: 2 };

/**
 * Uses path-style URLs (endpoint/bucket/key), which every S3 server supports.
 *
 * @param key empty for the bucket itself
 */
export async function requestS3(
  { endpoint, bucket, region, accessKeyId, secretAccessKey }: S3Access,
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  key: string,
  { query = {}, content, contentType, limits = usualLimits }: RequestParts = {},
): Promise<Response> {
  const search = new URLSearchParams(query).toString();
  const signer = new AwsV4Signer({
    method,
    url: `${endpoint}/${bucket}${key && `/${key}`}${search && `?${search}`}`,
    headers: {
      'x-amz-content-sha256': hash('sha256', content ?? '', 'hex'),
      ...(contentType ? { 'content-type': contentType } : {}),
    },
    service: 's3',
    region,
    accessKeyId,
    secretAccessKey,
  });
  const { url, headers } = await signer.sign();
  const init = { method, headers, ...(content ? { body: content } : {}) };
  const sendingMs = (content?.length ?? 0) / minBytesPerMs;
  // Repeating a request does no harm: at worst, an upload in parts begins twice, and the first is never completed.
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

/** @throws {S3Error} */
export async function expectOk(response: Response): Promise<void> {
  if (!response.ok) throw await toS3Error(response);
  await response.body?.cancel();
}

/** S3's error codes come from a fixed list and are safe to log. */
export class S3Error extends Error {
  override name = 'S3Error';
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string | undefined) {
    super('The S3 request failed.');
    this.status = status;
    this.code = `${status} ${code ?? ''}`.trim();
  }
}

export async function toS3Error(response: Response): Promise<S3Error> {
  return new S3Error(response.status, parseErrorCode(await response.text()));
}

/** The code in a reply of S3 that reports an error. */
export function parseErrorCode(xml: string): string | undefined {
  return /<Code>(\w{1,40})<\/Code>/.exec(xml)?.[1];
}
