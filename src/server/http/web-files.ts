// The built browser app, read once and served from memory.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { Context, Hono } from 'hono';
import { AppError } from '#contract/errors.ts';

export interface WebFile {
  type: string;
  content: Uint8Array<ArrayBuffer>;
  /** The same content, compressed with brotli, if the build provides it. */
  brotli: Uint8Array<ArrayBuffer> | null;
  etag: string;
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** The build puts a content hash into these names, so their content never changes. */
const hashedFolder = '/assets/';
const forever = 'public, max-age=31536000, immutable';

/** Serves the folder's files, and the index page for every other path except API paths. */
export function webFiles(app: Hono, dir: string, meta: Readonly<Record<string, string>>): void {
  const files = readFiles(dir);
  const index = files.get('/index.html');
  if (!index) throw new Error('The built web app has no index.html.');
  const page = fileOf('.html', withMeta(index.content, meta), null);

  app.get('*', (context) => {
    const { path } = context.req;
    if (/^\/(api|1)(\/|$)/i.test(path)) throw new AppError('NOT_FOUND');
    const file = path === '/index.html' ? undefined : files.get(path);
    if (file) return send(context, file, path.startsWith(hashedFolder) ? forever : 'no-cache');
    if (path.startsWith(hashedFolder)) throw new AppError('NOT_FOUND');
    return send(context, page, 'no-cache');
  });
  app.all('*', () => {
    throw new AppError('NOT_FOUND');
  });
}

function send(context: Context, file: WebFile, cacheControl: string): Response {
  const takesBrotli = /\bbr\b/.test(context.req.header('accept-encoding') ?? '');
  const headers = {
    'content-type': file.type,
    'cache-control': cacheControl,
    etag: file.etag,
    vary: 'accept-encoding',
  };
  if (context.req.header('if-none-match') === file.etag) return context.body(null, 304, headers);
  if (!takesBrotli || !file.brotli) return context.body(file.content, 200, headers);
  return context.body(file.brotli, 200, { ...headers, 'content-encoding': 'br' });
}

function readFiles(dir: string): Map<string, WebFile> {
  const names = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name));
  const known = new Set(names);
  const files = new Map<string, WebFile>();
  for (const name of names.filter((each) => !each.endsWith('.br'))) {
    const brotli = known.has(`${name}.br`) ? new Uint8Array(readFileSync(`${name}.br`)) : null;
    const path = `/${relative(dir, name).split(sep).join('/')}`;
    files.set(path, fileOf(extname(name), new Uint8Array(readFileSync(name)), brotli));
  }
  return files;
}

function fileOf(
  extension: string,
  content: Uint8Array<ArrayBuffer>,
  brotli: WebFile['brotli'],
): WebFile {
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  return { type: types[extension] ?? 'application/octet-stream', content, brotli, etag };
}

/** Returns the page with the server's own values in its `<meta name=…>` tags. */
function withMeta(page: Uint8Array, meta: Readonly<Record<string, string>>) {
  let html = new TextDecoder().decode(page);
  for (const [name, value] of Object.entries(meta)) {
    const tag = new RegExp(`<meta\\s+name="${name}"\\s+content="[^"]*"`);
    html = html.replace(tag, () => `<meta name="${name}" content="${escaped(value)}"`);
  }
  return new TextEncoder().encode(html);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
