// The two pages of the app: for browsers with and without a session cookie.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compressToOneSize } from '#server/features/web-app/translated-pages.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';

const webDir = mkdtempSync(join(tmpdir(), 'backchannel-pages-'));
let app: RunningApp;
beforeAll(async () => {
  const head = '<html lang="en"><head><script type="module" src="/app.js"></script></head>';
  writeFileSync(
    join(webDir, 'index.html'),
    `${head}<noscript>Needs it.</noscript>page of visitors`,
  );
  writeFileSync(join(webDir, 'signed-in.html'), `${head}page of members`);
  const scripts = {
    es: { script: '/assets/texts-1.js', isReviewed: true },
    ar: { script: '/assets/texts-2.js', isReviewed: false },
  };
  writeFileSync(join(webDir, 'languages.json'), JSON.stringify(scripts));
  const settings = {
    TIME_ZONE: 'Europe/Berlin',
    LANGUAGES: 'en,ar,es',
    SUPPORT_CONTACT: 'https://uni.example/help?a=1&b=2',
  };
  app = await startApp(settings, undefined, webDir);
});
afterAll(async () => {
  await app.stop();
  rmSync(webDir, { recursive: true });
});

test('all members get the same page, which only their browsers store [ROUTE-14]', async () => {
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const classId = await ada.createClass();

  for (const path of [
    '/',
    '/home',
    `/home/${classId}`,
    '/signin',
    '/index.html',
    '/signed-in.html',
  ]) {
    for (const student of [ada, ben]) {
      const page = await student.fetch(path);
      expect(await page.text()).toMatch(/page of members$/);
      expect(page.headers.get('cache-control')).toBe('private, no-cache');
      expect(page.headers.get('vary')).toBe('cookie, accept-encoding, accept-language');
      expect(page.headers.getSetCookie()).toEqual([]);
    }
  }
});

test('a browser without a session cookie of this server gets the page of visitors [ROUTE-14]', async () => {
  const student = await app.createStudent();
  const member = await student.fetch('/home');
  const signature = student.cookie().replace(/[^.;]{8}(?=;|$)/, 'AAAAAAAA');
  for (const cookie of ['', 'backchannel.session_token=x', signature]) {
    const headers = { cookie, 'if-none-match': member.headers.get('etag') ?? '' };
    const page = await fetch(`${app.origin}/home`, { headers });
    expect(page.status).toBe(200);
    expect(await page.text()).toMatch(/page of visitors$/);
  }
});

test('Without JavaScript, a page says whom to write to instead of the form [OUT-7]', async () => {
  const page = await (await fetch(`${app.origin}/report`)).text();

  const text = 'Needs it. Without it, write to https://uni.example/help?a=1&amp;b=2.';
  expect(page).toContain(`<noscript>${text}</noscript>`);
});

test('The page has each setting that the browser reads, such as the time zone of the school [CSET-31]', async () => {
  const files = ['site.ts', 'data/language-choice.tsx', 'features/profile/account-page.tsx'];
  const code = files.map((file) => readFileSync(`src/web/${file}`, 'utf8')).join('');
  const names = [...code.matchAll(/getMetaContent\('([\w-]+)'/g)].map(([, name]) => name);

  const page = await (await fetch(`${app.origin}/signin`)).text();

  expect(page).toContain('<meta name="time-zone" content="Europe/Berlin">');
  const sentNames = [...page.matchAll(/<meta name="([\w-]+)"/g)].map(([, name]) => name);
  // The build writes whether the page is for a session.
  expect(new Set([...sentNames, 'session'])).toEqual(new Set(names));
});

test.each([
  { cookie: '', accepted: 'en-US', root: '<html lang="en">', script: undefined },
  { cookie: '', accepted: 'fi', root: '<html lang="en">', script: undefined },
  {
    cookie: '',
    accepted: 'fi, ar;q=0.8, en;q=0.5',
    root: '<html lang="ar" dir="rtl">',
    script: '/assets/texts-2.js',
  },
  {
    cookie: 'language=es',
    accepted: 'ar',
    root: '<html lang="es">',
    script: '/assets/texts-1.js',
  },
])(
  'The page is in the language of the reader: cookie "$cookie", browser $accepted [LAYOUT-127]',
  async ({ cookie, accepted, root, script }) => {
    const headers = { cookie, 'accept-language': accepted };

    const page = await (await fetch(`${app.origin}/signin`, { headers })).text();

    expect(page).toContain(root);
    // It runs before the modules of the app.
    const [first] = [...page.matchAll(/<script (?:defer|type="module") src="([^"]+)"/g)];
    expect(first?.[1]).toBe(script ?? '/app.js');
    expect(page).toContain('<meta name="languages" content="en,ar,es">');
    expect(page).toContain('<meta name="unchecked-languages" content="ar">');
  },
);

test('Compressed pages and texts have one size in all languages, so that it does not tell the language [LAYOUT-128]', async () => {
  const listLengths = (accepted: readonly string[]) =>
    Promise.all(
      accepted.map(async (language) => {
        const headers = { 'accept-language': language, 'accept-encoding': 'br' };
        const page = await fetch(`${app.origin}/signin`, { headers });
        expect(await page.text()).toContain(`<html lang="${language}"`);
        return page.headers.get('content-length');
      }),
    );
  expect(new Set(await listLengths(['en', 'ar', 'es'])).size).toBe(1);

  const texts = ['Send', 'Senden', 'إرسال'].map((text) => Buffer.from(text.repeat(50)));
  const compressed = [...compressToOneSize(new Map(texts.entries())).values()];
  expect(new Set(compressed.map(({ length }) => length)).size).toBe(1);
  expect(compressed.map((stream) => brotliDecompressSync(stream))).toEqual(texts);
});

test('The page is compressed for a browser that accepts it [ROUTE-20]', async () => {
  const load = (encoding: string) =>
    fetch(`${app.origin}/signin`, { headers: { 'accept-encoding': encoding } });
  const compressed = await load('gzip, br');
  const plain = await load('gzip');

  expect(compressed.headers.get('content-encoding')).toBe('br');
  expect(plain.headers.get('content-encoding')).toBe(null);
  expect(await compressed.text()).toBe(await plain.text());
});
