import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';

const projectRoot = resolve(import.meta.dirname, '../..');
const mark = 'Every token and primitive';

let dir: string;
let files: string[];
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'backchannel-build-'));
  await build({
    root: join(projectRoot, 'src/web'),
    configFile: join(projectRoot, 'vite.config.ts'),
    build: { outDir: dir },
    logLevel: 'error',
  });
  files = readdirSync(dir, { recursive: true, encoding: 'utf8' });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('the built app contains nothing of the page of primitives [DEV-1]', () => {
  expect(files).toContain('index.html');
  expect(files.filter((file) => /(^|\/)dev(\/|$)|show-ui|ui-page/.test(file))).toEqual([]);

  const text = files
    .filter((file) => /\.(js|html)$/.test(file))
    .map((file) => readFileSync(join(dir, file), 'utf8'))
    .join('\n');
  expect(text).toContain('My Classes');
  expect(text).not.toContain(mark);
});

test('the built app names the licenses of the packages in it [HTTP-59]', () => {
  const licenses = readFileSync(join(dir, 'licenses.txt'), 'utf8');
  const titles = licenses.split('\n').filter((line) => line.startsWith('## '));

  expect(titles.length).toBeGreaterThan(10);
  expect(licenses).toMatch(/^## react-dom - .* \(MIT\)$/m);
  expect(licenses).toContain('Copyright (c) Meta Platforms');
});

test('the page of primitives shows every primitive [DEV-1]', () => {
  const loadFiles = (folder: string) =>
    readdirSync(join(projectRoot, 'src/web', folder))
      .filter((file) => file.endsWith('.tsx') && !file.endsWith('.test.tsx'))
      .map((file) => [file, readFileSync(join(projectRoot, 'src/web', folder, file), 'utf8')]);
  const page = loadFiles('dev')
    .map(([, source]) => source)
    .join('\n');
  expect(page).toContain(mark);

  // The frame of a whole screen has no place on a page, and a status is only heard.
  const unseen = ['tabbed-screen.tsx', 'status.tsx'];
  const primitives = loadFiles('ui').filter(([file = '']) => !unseen.includes(file));
  expect(primitives.length).toBeGreaterThan(10);

  // A primitive may be shown as a part of another one.
  const shownText = [page, ...primitives.map(([, source]) => source)].join('\n');
  const hiddenPrimitives = primitives.filter(
    ([file]) => !['#web/ui', '.'].some((folder) => shownText.includes(`'${folder}/${file}'`)),
  );
  expect(hiddenPrimitives.map(([file]) => file)).toEqual([]);
});
