import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';

const projectRoot = resolve(import.meta.dirname, '../..');

let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'backchannel-build-'));
  await build({
    root: join(projectRoot, 'src/web'),
    configFile: join(projectRoot, 'vite.config.ts'),
    build: { outDir: dir },
    logLevel: 'error',
  });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('the built app names the licenses of the packages in it [HTTP-58]', () => {
  const licenses = readFileSync(join(dir, 'licenses.txt'), 'utf8');
  const titles = licenses.split('\n').filter((line) => line.startsWith('## '));

  expect(titles.length).toBeGreaterThan(10);
  expect(licenses).toMatch(/^## react-dom - .* \(MIT\)$/m);
  expect(licenses).toContain('Copyright (c) Meta Platforms');
});
