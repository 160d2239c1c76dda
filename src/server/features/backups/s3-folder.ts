// Backups in S3: whole files under one prefix of a bucket.
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expectOk, requestS3, S3Error, toS3Error, type S3Access } from '#server/base/s3-client.ts';
import { StartupError } from '#server/base/startup-failure.ts';

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
export class S3Folder {
  readonly #access: S3Access;
  readonly #prefix: string;

  constructor(access: S3Access, prefix: string) {
    this.#access = access;
    this.#prefix = prefix;
  }

  /** Lists the names that begin with `start`. */
  list(start: string): Promise<Set<string>> {
    return this.#explainFailure(this.#list(start));
  }

  /** Uploads a file. The object appears only when it is complete. */
  uploadFile(name: string, file: string): Promise<void> {
    return this.#explainFailure(this.#uploadFile(name, file));
  }

  put(name: string, content: Uint8Array<ArrayBuffer>): Promise<void> {
    return this.#explainFailure(this.#put(name, content));
  }

  /**
   * @param file must not exist
   * @returns false if there is no such object
   */
  downloadFile(name: string, file: string): Promise<boolean> {
    return this.#explainFailure(
      (async () => {
        const response = await this.#openObject(name);
        if (!response?.body) return false;
        const target = createWriteStream(file, { flags: 'wx', mode: 0o600 });
        await pipeline(Readable.fromWeb(response.body as never), target);
        if (target.bytesWritten === Number(response.headers.get('content-length'))) return true;
        throw new StartupError(`${name} did not arrive completely. Try again.`);
      })(),
    );
  }

  /** @returns null if there is no such object */
  get(name: string): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.#explainFailure(
      (async () => {
        const response = await this.#openObject(name);
        return response && new Uint8Array(await response.arrayBuffer());
      })(),
    );
  }

  #toKey(name: string): string {
    return this.#prefix === '' ? name : `${this.#prefix}/${name}`;
  }

  async #request(...parts: Parameters<typeof requestS3>): Promise<Response> {
    try {
      return await requestS3(...parts);
    } catch {
      throw new StartupError(`the S3 server at ${this.#access.endpoint} does not answer.`);
    }
  }

  #explainFailure<Result>(work: Promise<Result>): Promise<Result> {
    return work.catch((error: unknown) => {
      throw error instanceof S3Error ? explain(error, this.#access) : error;
    });
  }

  async #put(name: string, content: Uint8Array<ArrayBuffer>): Promise<void> {
    await expectOk(await this.#request(this.#access, 'PUT', this.#toKey(name), { content }));
  }

  async #list(start: string): Promise<Set<string>> {
    const names = new Set<string>();
    for (let lastName = ''; ;) {
      const response = await this.#request(this.#access, 'GET', '', {
        query: {
          'list-type': '2',
          prefix: this.#toKey(start),
          ...(lastName ? { 'start-after': lastName } : {}),
        },
      });
      if (!response.ok) throw await toS3Error(response);
      const xml = await response.text();
      const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
      for (const key of keys) {
        names.add(key.slice(this.#prefix === '' ? 0 : this.#prefix.length + 1));
      }
      lastName = keys.at(-1) ?? '';
      if (!xml.includes('<IsTruncated>true') || !lastName) return names;
    }
  }

  async #uploadFile(name: string, file: string): Promise<void> {
    const source = await open(file, 'r');
    try {
      const { size } = await source.stat();
      if (size <= partBytes) {
        await this.#put(name, new Uint8Array(await source.readFile()));
        return;
      }
      const uploadId = await this.#beginParts(name);
      try {
        const etags: string[] = [];
        for (let start = 0; start < size; start += partBytes) {
          const content = new Uint8Array(Math.min(partBytes, size - start));
          const { bytesRead } = await source.read(content, 0, content.length, start);
          if (bytesRead !== content.length) throw new StartupError(`${file} became shorter.`);
          etags.push(await this.#putPart(name, uploadId, etags.length + 1, content));
        }
        await this.#completeParts(name, uploadId, etags);
      } catch (error) {
        await requestS3(this.#access, 'DELETE', this.#toKey(name), { query: { uploadId } }).catch(
          () => {},
        );
        throw error;
      }
    } finally {
      await source.close();
    }
  }

  async #beginParts(name: string): Promise<string> {
    const response = await this.#request(this.#access, 'POST', this.#toKey(name), {
      query: { uploads: '' },
    });
    if (!response.ok) throw await toS3Error(response);
    const [, uploadId] = /<UploadId>([^<]+)<\/UploadId>/.exec(await response.text()) ?? [];
    if (uploadId) return uploadId;
    throw new StartupError('the S3 server does not take uploads in parts.');
  }

  async #putPart(
    name: string,
    uploadId: string,
    part: number,
    content: Uint8Array<ArrayBuffer>,
  ): Promise<string> {
    const query = { partNumber: String(part), uploadId };
    const response = await this.#request(this.#access, 'PUT', this.#toKey(name), {
      query,
      content,
    });
    await expectOk(response);
    return response.headers.get('etag') ?? '';
  }

  async #completeParts(name: string, uploadId: string, etags: string[]): Promise<void> {
    const parts = etags.map(
      (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
    );
    const content = new TextEncoder().encode(
      `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
    );
    const response = await this.#request(this.#access, 'POST', this.#toKey(name), {
      query: { uploadId },
      content,
      contentType: 'application/xml',
    });
    // S3 may report an error after the status 200.
    const xml = response.ok ? await response.clone().text() : '';
    if (!xml.includes('CompleteMultipartUploadResult')) throw await toS3Error(response);
  }

  /** @returns null if there is no such object */
  async #openObject(name: string): Promise<Response | null> {
    const response = await this.#request(this.#access, 'GET', this.#toKey(name));
    if (response.ok && response.body) return response;
    const error = await toS3Error(response);
    if (error.code === '404 NoSuchKey') return null;
    throw error;
  }
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
