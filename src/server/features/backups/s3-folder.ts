// Backups in S3: whole files under one prefix of a bucket.
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expectOk, requestS3, S3Error, toS3Error, type S3Access } from '#server/base/s3-client.ts';
import { StartupError } from '#server/base/startup-failure.ts';

export interface S3Folder {
  /** The names that begin with `start`. */
  list(start: string): Promise<Set<string>>;
  /** The object appears when all of it is there. */
  uploadFile(name: string, file: string): Promise<void>;
  put(name: string, content: Uint8Array<ArrayBuffer>): Promise<void>;
  /**
   * @param file must not exist
   * @returns false if there is no such object
   */
  downloadFile(name: string, file: string): Promise<boolean>;
  /** @returns null if there is no such object */
  get(name: string): Promise<Uint8Array<ArrayBuffer> | null>;
}

/** S3 takes at most 10,000 parts, so this allows files of 312 GB. */
const partBytes = 32 * 1024 * 1024;

/**
 * Splits an address such as `s3://bucket/some/prefix`.
 *
 * @throws {StartupError}
 */
export function parseS3Url(text: string): { bucket: string; path: string } {
  const [, bucket, path = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/.exec(text) ?? [];
  if (!bucket || path.split('/').some((part) => part === '..' || part === '.')) {
    throw new StartupError(
      `"${text}" is not an address in S3: use one such as s3://bucket/backups, of letters, digits and . _ - /.`,
    );
  }
  return { bucket, path: path.replace(/^\/+|\/+$/g, '').replace(/\/{2,}/g, '/') };
}

/** All methods throw a {StartupError} that says what is wrong with S3. */
export function openS3Folder(access: S3Access, prefix: string): S3Folder {
  const toKey = (name: string) => (prefix === '' ? name : `${prefix}/${name}`);
  const request: typeof requestS3 = async (...parts) => {
    try {
      return await requestS3(...parts);
    } catch {
      throw new StartupError(`the S3 server at ${access.endpoint} does not answer.`);
    }
  };
  const explainFailure = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      throw error instanceof S3Error ? explain(error, access) : error;
    });

  async function put(name: string, content: Uint8Array<ArrayBuffer>): Promise<void> {
    await expectOk(await request(access, 'PUT', toKey(name), { content }));
  }

  async function list(start: string): Promise<Set<string>> {
    const names = new Set<string>();
    for (let lastName = ''; ;) {
      const response = await request(access, 'GET', '', {
        query: {
          'list-type': '2',
          prefix: toKey(start),
          ...(lastName ? { 'start-after': lastName } : {}),
        },
      });
      if (!response.ok) throw await toS3Error(response);
      const xml = await response.text();
      const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
      for (const key of keys) names.add(key.slice(prefix === '' ? 0 : prefix.length + 1));
      lastName = keys.at(-1) ?? '';
      if (!xml.includes('<IsTruncated>true') || !lastName) return names;
    }
  }

  async function uploadFile(name: string, file: string): Promise<void> {
    const source = await open(file, 'r');
    try {
      const { size } = await source.stat();
      if (size <= partBytes) {
        await put(name, new Uint8Array(await source.readFile()));
        return;
      }
      const uploadId = await beginParts(name);
      try {
        const etags: string[] = [];
        for (let start = 0; start < size; start += partBytes) {
          const content = new Uint8Array(Math.min(partBytes, size - start));
          const { bytesRead } = await source.read(content, 0, content.length, start);
          if (bytesRead !== content.length) throw new StartupError(`${file} became shorter.`);
          etags.push(await putPart(name, uploadId, etags.length + 1, content));
        }
        await completeParts(name, uploadId, etags);
      } catch (error) {
        await requestS3(access, 'DELETE', toKey(name), { query: { uploadId } }).catch(() => {});
        throw error;
      }
    } finally {
      await source.close();
    }
  }

  async function beginParts(name: string): Promise<string> {
    const response = await request(access, 'POST', toKey(name), { query: { uploads: '' } });
    if (!response.ok) throw await toS3Error(response);
    const [, uploadId] = /<UploadId>([^<]+)<\/UploadId>/.exec(await response.text()) ?? [];
    if (uploadId) return uploadId;
    throw new StartupError('the S3 server does not take uploads in parts.');
  }

  async function putPart(
    name: string,
    uploadId: string,
    part: number,
    content: Uint8Array<ArrayBuffer>,
  ): Promise<string> {
    const query = { partNumber: String(part), uploadId };
    const response = await request(access, 'PUT', toKey(name), { query, content });
    await expectOk(response);
    return response.headers.get('etag') ?? '';
  }

  async function completeParts(name: string, uploadId: string, etags: string[]): Promise<void> {
    const parts = etags.map(
      (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
    );
    const content = new TextEncoder().encode(
      `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
    );
    const response = await request(access, 'POST', toKey(name), {
      query: { uploadId },
      content,
      contentType: 'application/xml',
    });
    // S3 may report an error after the status 200.
    const xml = response.ok ? await response.clone().text() : '';
    if (!xml.includes('CompleteMultipartUploadResult')) throw await toS3Error(response);
  }

  /** @returns null if there is no such object */
  async function openObject(name: string): Promise<Response | null> {
    const response = await request(access, 'GET', toKey(name));
    if (response.ok && response.body) return response;
    const error = await toS3Error(response);
    if (error.code === '404 NoSuchKey') return null;
    throw error;
  }

  return {
    list: (start) => explainFailure(list(start)),
    uploadFile: (name, file) => explainFailure(uploadFile(name, file)),
    put: (name, content) => explainFailure(put(name, content)),
    downloadFile: (name, file) =>
      explainFailure(
        (async () => {
          const response = await openObject(name);
          if (!response?.body) return false;
          const target = createWriteStream(file, { flags: 'wx', mode: 0o600 });
          await pipeline(Readable.fromWeb(response.body as never), target);
          if (target.bytesWritten === Number(response.headers.get('content-length'))) return true;
          throw new StartupError(`${name} did not arrive completely. Try again.`);
        })(),
      ),
    get: (name) =>
      explainFailure(
        (async () => {
          const response = await openObject(name);
          return response && new Uint8Array(await response.arrayBuffer());
        })(),
      ),
  };
}

function explain({ status, code }: S3Error, { bucket, endpoint }: S3Access): StartupError {
  if (code.endsWith('NoSuchBucket')) {
    return new StartupError(`there is no bucket ${bucket} at ${endpoint}. Create it first.`);
  }
  if (status === 403) {
    return new StartupError(
      `the S3 keys may not use the bucket ${bucket}. They need permission to list it, and to get and put objects.`,
    );
  }
  return new StartupError(`the S3 server at ${endpoint} answers ${code}.`);
}
