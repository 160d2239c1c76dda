// Serves what a page loads before the sign-in: the built web app and the school's theme. The app is in memory, because a build may
// replace its folder while this server runs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { Hono } from 'hono';
import { AppError } from '#contract/errors.ts';
import type { SchoolThemes } from './themes/school-themes.ts';
import type { Route } from '#server/http/route.ts';
import { chooseLanguage } from '#server/http/choose-language.ts';
import { sendStaticFile, toStaticFile, type StaticFile } from '#server/http/static-file.ts';
import {
  compressToOneSize,
  languagesFileName,
  toLanguageMeta,
  translatePage,
  type TranslatedScripts,
} from './translated-pages.ts';

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

const logosPath = '/logos/';
/** The build puts a content hash into these names, so their content never changes. */
const hashedFolder = '/assets/';
const immutable = 'public, max-age=31536000, immutable';
const createFileHeaders = (path: string) => ({
  'cache-control': path.startsWith(hashedFolder) ? immutable : 'no-cache',
  vary: 'accept-encoding',
});
const languagesPath = `/${languagesFileName}`;
const pageHeaders = {
  'cache-control': 'private, no-cache',
  vary: 'cookie, accept-encoding, accept-language',
};

/**
 * Serves the files of the folders. Every other path gets a page of the app, except the paths of calls and metrics.
 *
 * @param logosDir a school's own logos, which replace those of the app
 * @param wantedLanguages those that the operator offers
 * @param hasSessionCookie whether the page should also load the code for signed-in members
 */
export function serveWebFiles(
  app: Hono,
  dir: string,
  logosDir: string,
  meta: Readonly<Record<string, string>>,
  wantedLanguages: readonly string[],
  hasSessionCookie: (headers: Headers) => boolean,
): void {
  const files = new Map([...loadFiles(dir, '/'), ...loadFiles(logosDir, logosPath)]);
  const takeText = (path: string): string => {
    const file = files.get(path);
    if (!file) throw new Error(`The built web app has no ${path}.`);
    files.delete(path);
    return new TextDecoder().decode(file.content);
  };
  const scripts = files.has(languagesPath)
    ? (JSON.parse(takeText(languagesPath)) as TranslatedScripts)
    : {};
  const foundLanguages = wantedLanguages.filter((tag) => tag === 'en' || scripts[tag]);
  const languages = foundLanguages.length > 0 ? foundLanguages : ['en'];
  const pageMeta = { ...meta, ...toLanguageMeta(languages, scripts) };
  const takePages = (path: string): Map<string, StaticFile> => {
    const html = addMeta(takeText(path), pageMeta);
    const contents = new Map(
      languages.map((language) => [
        language,
        new TextEncoder().encode(translatePage(html, language, scripts)),
      ]),
    );
    const compressed = compressToOneSize(contents);
    return new Map(
      [...contents].map(([language, content]) => [
        language,
        toStaticFile(getType('.html'), content, compressed.get(language) ?? null),
      ]),
    );
  };
  const pages = takePages('/index.html');
  const signedInPages = takePages('/signed-in.html');

  app.get('*', (context) => {
    const { path } = context.req;
    if (/^\/(api|1|lti|metrics)(\/|$)/i.test(path)) throw new AppError('NOT_FOUND');
    const file = files.get(path);
    if (file) return sendStaticFile(context, file, createFileHeaders(path));
    if (path.startsWith(hashedFolder)) throw new AppError('NOT_FOUND');
    const { headers } = context.req.raw;
    const language = chooseLanguage(headers, languages);
    const page = (hasSessionCookie(headers) ? signedInPages : pages).get(language);
    if (!page) throw new Error(`There is no page in ${language}.`);
    return sendStaticFile(context, page, pageHeaders);
  });
  app.all('*', () => {
    throw new AppError('NOT_FOUND');
  });
}

/** A folder that is missing counts as empty. */
function loadFiles(dir: string, parentPath: string): Map<string, StaticFile> {
  if (!existsSync(dir)) return new Map();
  const names = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name));
  const allNames = new Set(names);
  const files = new Map<string, StaticFile>();
  for (const name of names.filter((fileName) => !fileName.endsWith('.br'))) {
    const brotli = allNames.has(`${name}.br`) ? new Uint8Array(readFileSync(`${name}.br`)) : null;
    const path = `${parentPath}${relative(dir, name).split(sep).join('/')}`;
    files.set(
      path,
      toStaticFile(getType(extname(name)), new Uint8Array(readFileSync(name)), brotli),
    );
  }
  return files;
}

const getType = (extension: string) => types[extension] ?? 'application/octet-stream';

/** Returns the page with the server's own values as `<meta name=…>` tags, and without JavaScript with whom to write to. */
function addMeta(html: string, meta: Readonly<Record<string, string>>): string {
  const tags = Object.entries(meta).map(
    ([name, value]) => `<meta name="${name}" content="${escapeHtml(value)}">`,
  );
  const contact = escapeHtml(meta['support-contact'] ?? '');
  return html
    .replace('</head>', () => `${tags.join('\n')}\n</head>`)
    .replace('</noscript>', () => `${contact && ` Without it, write to ${contact}.`}</noscript>`);
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/**
 * @param dir the built web app, or null
 * @returns the school's logo if it is an SVG file of the app or of the data folder, or null
 */
export function loadLogo(dir: string | null, logosDir: string, path: string): string | null {
  const [, name] = /^\/logos\/([\w-]+\.svg)$/.exec(path) ?? [];
  if (name === undefined) return null;
  const files = [join(logosDir, name), ...(dir === null ? [] : [join(dir, path)])];
  const file = files.find((candidate) => existsSync(candidate));
  return file === undefined ? null : readFileSync(file, 'utf8');
}

export function registerSchoolThemeRoutes(route: Route, themes: SchoolThemes): void {
  route('schoolTheme', async ({ params }) => themes.getTheme(params.key));
}
