// A file that is the same for everyone: compressed once, and sent only to browsers that do not have it yet.
import { hash } from 'node:crypto';
import type { Context } from 'hono';

export interface StaticFile {
  type: string;
  content: Uint8Array<ArrayBuffer>;
  /** The same content, compressed with brotli, or null if its type is compressed already. */
  brotli: Uint8Array<ArrayBuffer> | null;
  etag: string;
}

export function toStaticFile(
  type: string,
  content: StaticFile['content'],
  brotli: StaticFile['brotli'],
): StaticFile {
  return { type, content, brotli, etag: createEtag(content) };
}

export function createEtag(content: string | Uint8Array): string {
  return `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
}

export function sendStaticFile(
  context: Context,
  file: StaticFile,
  caching: Record<string, string>,
): Response {
  const headers = { 'content-type': file.type, etag: file.etag, ...caching };
  if (context.req.header('if-none-match') === file.etag) return context.body(null, 304, headers);
  const acceptsBrotli = /\bbr\b/.test(context.req.header('accept-encoding') ?? '');
  if (!acceptsBrotli || !file.brotli) return context.body(file.content, 200, headers);
  return context.body(file.brotli, 200, { ...headers, 'content-encoding': 'br' });
}
