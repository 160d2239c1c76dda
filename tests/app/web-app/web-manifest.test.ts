// The web app manifest and the icons of the installed app.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { computeThemeColors } from '#server/features/web-app/themes/theme-colors.ts';
import { listWorkerProcesses } from '#tests/support/processes.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import riverside from '../../../themes/riverside.json' with { type: 'json' };

const logos = join(import.meta.dirname, '../../../src/web/public/logos');
const webDir = mkdtempSync(join(tmpdir(), 'backchannel-manifest-'));
const immutable = 'public, max-age=31536000, immutable';
let app: RunningApp;
beforeAll(async () => {
  for (const page of ['index.html', 'signed-in.html']) writeFileSync(join(webDir, page), 'page');
  mkdirSync(join(webDir, 'logos'));
  cpSync(logos, join(webDir, 'logos'), { recursive: true });
  const settings = {
    ALLOWED_HOSTS: 'riverside.localhost,ashgrove.localhost,plain.localhost',
    APP_NAME: 'Hallway',
  };
  app = await startApp(settings, undefined, webDir);
});
afterAll(async () => {
  await app.stop();
  rmSync(webDir, { recursive: true });
});

interface Icon {
  src: string;
  sizes: string;
  type: string;
  purpose: string;
}
interface Manifest {
  id: string;
  name: string;
  short_name: string;
  start_url: string;
  scope: string;
  display: string;
  theme_color: string;
  background_color: string;
  icons: Icon[];
}

/** Asks under another host name. */
async function get(path: string, host: string, headers: Record<string, string> = {}) {
  const { port } = new URL(app.origin);
  const pendingRequest = request({
    host: '127.0.0.1',
    port,
    path,
    agent: false,
    headers: { ...headers, host: `${host}:${port}` },
  }).end();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    pendingRequest.on('response', resolve).on('error', reject);
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    body: new Uint8Array(await buffer(response)),
  };
}

async function fetchManifest(host: string): Promise<Manifest> {
  const { body } = await get('/manifest.webmanifest', host);
  return JSON.parse(new TextDecoder().decode(body)) as Manifest;
}

async function decodePixels(png: Uint8Array) {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const getPixel = (x: number, y: number) => {
    const start =
      (Math.floor(y * (info.height - 1)) * info.width + Math.floor(x * (info.width - 1))) * 4;
    return [...data.subarray(start, start + 4)];
  };
  return { at: getPixel, info };
}

test('the manifest has everything that browsers ask of an app to install [PWA-1]', async () => {
  const manifest = await fetchManifest('riverside.localhost');
  expect(manifest).toMatchObject({
    id: '/',
    name: 'Hallway – Riverside',
    short_name: 'Hallway',
    start_url: '/home',
    scope: '/',
    display: 'standalone',
    theme_color: riverside.surfaceColor,
    background_color: riverside.surfaceColor,
  });
  expect(await fetchManifest('plain.localhost')).toMatchObject({ name: 'Hallway' });

  const listSizes = (purpose: string) =>
    manifest.icons.filter((icon) => icon.purpose === purpose).map((icon) => icon.sizes);
  expect(listSizes('any')).toEqual(expect.arrayContaining(['48x48', '192x192', '512x512']));
  expect(listSizes('maskable')).toEqual(['192x192', '512x512']);
});

test('each icon of the manifest is a PNG of the size that it names [PWA-2]', async () => {
  const { icons } = await fetchManifest('riverside.localhost');
  const otherIcons = ['/icons/apple-180.png', '/icons/badge-96.png'].map((src) => {
    const [size = ''] = /\d+/.exec(src) ?? [];
    return { src, sizes: `${size}x${size}`, type: 'image/png' };
  });
  for (const { src, sizes, type } of [...icons, ...otherIcons]) {
    const { status, headers, body } = await get(src, 'riverside.localhost');
    expect([status, headers['content-type']]).toEqual([200, type]);
    const { format, width, height } = await sharp(body).metadata();
    expect([format, `${width}x${height}`]).toEqual(['png', sizes]);
  }
});

test('maskable icons fill the square in the school’s color, with the logo in the safe area [PWA-2]', async () => {
  const { surface } = computeThemeColors(riverside, 'light');
  const background = [surface.r, surface.g, surface.b].map((part) => Math.round(part * 255));

  const icon = await decodePixels(
    (await get('/icons/maskable-512.png', 'riverside.localhost')).body,
  );
  for (const [x, y] of [
    [0, 0],
    [1, 1],
    [0.5, 0.09],
    [0.17, 0.17],
  ] as const) {
    expect(icon.at(x, y)).toEqual([...background, 255]);
  }
  // The circle of the logo.
  expect(icon.at(0.5, 0.28)).toEqual([0x3d, 0x8a, 0x94, 255]);

  const anyIcon = await decodePixels((await get('/icons/any-512.png', 'riverside.localhost')).body);
  expect(anyIcon.at(0, 0)[3]).toBe(0);
  expect(anyIcon.at(0.5, 0.02)).toEqual([0x3d, 0x8a, 0x94, 255]);
});

test('a circle of 80% contains the whole picture of a maskable icon [PWA-2]', async () => {
  for (const host of ['riverside.localhost', 'plain.localhost', 'ashgrove.localhost']) {
    for (const size of [192, 512]) {
      const { body } = await get(`/icons/maskable-${size}.png`, host);
      const { data } = await sharp(body).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
      const outside = new Set<string>();
      const all = new Set<string>();
      for (let offset = 0; offset < data.length; offset += 4) {
        const x = (offset / 4) % size;
        const y = Math.floor(offset / 4 / size);
        const distance = Math.hypot(x + 0.5 - size / 2, y + 0.5 - size / 2);
        const pixel = data.subarray(offset, offset + 4).join();
        all.add(pixel);
        if (distance > size * 0.4) outside.add(pixel);
      }
      expect([...outside]).toEqual([expect.stringMatching(/,255$/)]);
      expect(all.size).toBeGreaterThan(5);
    }
  }
});

test('browsers keep an icon for as long as the theme stays the same [PWA-2]', async () => {
  const { icons } = await fetchManifest('riverside.localhost');
  const src = icons[0]?.src ?? '';

  const current = await get(src, 'riverside.localhost');
  expect(current.headers['cache-control']).toBe(immutable);

  const old = await get(src.replace(/v=.*/, 'v=older'), 'riverside.localhost');
  expect(old.headers['cache-control']).toBe('no-cache');

  const etag = old.headers.etag ?? '';
  const secondResponse = await get('/icons/any-48.png', 'riverside.localhost', {
    'if-none-match': etag,
  });
  expect([secondResponse.status, secondResponse.body.length]).toEqual([304, 0]);

  const other = await fetchManifest('plain.localhost');
  expect(other.icons[0]?.src).not.toBe(src);
});

test('forty simultaneous requests draw each icon once [PWA-2]', async () => {
  for (const path of ['/icons/any-49.png', '/icons/any-512.svg', '/icons/', '/icons/../x']) {
    expect((await get(path, 'riverside.localhost')).status).not.toBe(500);
  }
  expect((await get('/icons/any-49.png', 'riverside.localhost')).status).toBe(404);

  await app.restart();
  let done = false;
  const requests = Promise.all(
    Array.from({ length: 40 }, () => get('/icons/any-512.png', 'plain.localhost')),
  ).finally(() => (done = true));
  const seenIds = new Set<number>();
  while (!done) {
    for (const { pid } of listWorkerProcesses('app-icon-worker')) seenIds.add(pid);
    await sleep(5);
  }
  expect((await requests).every(({ status }) => status === 200)).toBe(true);
  expect(seenIds.size).toBe(1);
});

const expanding = Array.from(
  { length: 12 },
  (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`,
);
const createSvg = (attributes: string, content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}</svg>`;
const blue = '<rect width="100%" height="100%" fill="#00f"/>';

describe('a school’s own logo', () => {
  const logoFile = join(webDir, 'logos/riverside.svg');
  let original: Buffer;
  beforeAll(() => {
    original = readFileSync(logoFile);
  });
  afterEach(async () => {
    writeFileSync(logoFile, original);
    await app.restart();
  });

  for (const [property, logo, isDrawn] of [
    ['is not well-formed', '<svg viewBox="0 0 64 64"><rect width="64" height="64"', false],
    ['is empty', '', false],
    ['draws nothing', createSvg('viewBox="0 0 9 9"', ''), false],
    [
      'expands without end',
      `<!DOCTYPE svg [<!ENTITY a0 "aaaaaaaaaa">${expanding.join('')}]>${createSvg('viewBox="0 0 9 9"', '<text>&a12;</text>')}`,
      false,
    ],
    [
      'has entities and a comment',
      `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY blue "#00f">]><!-- <svg> -->${createSvg('viewBox="0 0 64 64"', blue.replace('#00f', '&blue;'))}`,
      true,
    ],
    [
      'has a size, but no viewBox',
      createSvg('width="640" height="640"', `<circle cx="320" cy="100" r="100" fill="#00f"/>`),
      true,
    ],
    ['is wide', createSvg('viewBox="0 0 128 64"', blue.replace('100%', '50%')), true],
  ] as const) {
    test(`if a school’s logo ${property}, its icons show ${isDrawn ? 'all of it' : 'the app’s bubbles'} [PWA-2]`, async () => {
      writeFileSync(logoFile, logo);
      const logged = app.logLines.length;
      await app.restart();
      const host = 'riverside.localhost';
      const fetchIcons = async () => (await fetchManifest(host)).icons;
      const [first] = await fetchIcons();
      await get(first?.src ?? '', host);
      for (const { src, sizes } of await fetchIcons()) {
        const { status, headers, body } = await get(src, host);
        // Browsers keep no icon of a logo that could not be drawn under the address of that logo.
        expect([status, headers['cache-control']]).toEqual([200, immutable]);
        const { width, height } = await sharp(body).metadata();
        expect(`${width}x${height}`).toBe(sizes);
      }

      const icon = await decodePixels((await get('/icons/any-512.png', host)).body);
      const { accent } = computeThemeColors(riverside, 'light');
      const plain = [accent.r, accent.g, accent.b].map((part) => Math.round(part * 255));
      const expected = isDrawn ? [0, 0, 255] : plain;
      expect(
        icon.at(property === 'is wide' ? 0.1 : 0.5, property === 'is wide' ? 0.5 : 0.1),
      ).toEqual([...expected, 255]);

      const warnings = app.logLines.slice(logged).filter((line) => line.includes('icons.no-logo'));
      expect(warnings).toHaveLength(isDrawn ? 0 : 1);
    });
  }
});
