// Several servers that start together each build the web app and put it in the same place.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const source = pathToFileURL(resolve(import.meta.dirname, '../../src/server/base/atomic-files.ts'));

/** A program that replaces the folder repeatedly. */
const program = `
  import { mkdirSync, writeFileSync } from 'node:fs';
  import { replaceFolder } from '${source.href}';
  for (let i = 0; i < 150; i++) {
    const aside = 'aside-' + process.pid;
    mkdirSync(aside + '/assets', { recursive: true });
    for (const name of ['a', 'b', 'assets/c']) writeFileSync(aside + '/' + name, 'x');
    replaceFolder(aside, 'web');
  }
`;

test('servers that start together all serve the complete web app [START-1]', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'backchannel-replace-'));
  const ends = Array.from({ length: 4 }, () => {
    const args = ['--input-type=module', '--eval', program];
    const child = spawn(process.execPath, args, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
    const errors: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
    return new Promise((done) => {
      child.on('close', (code) => done({ code, errors: errors.join('') }));
    });
  });

  expect(await Promise.all(ends)).toEqual(ends.map(() => ({ code: 0, errors: '' })));
  expect(readdirSync(dir)).toEqual(['web']);
  expect(readdirSync(join(dir, 'web')).toSorted()).toEqual(['a', 'assets', 'b']);

  rmSync(dir, { recursive: true });
});
