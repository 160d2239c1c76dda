// THREATS.md says which test shows what: each of them has to be there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-tool.ts';

const text = readFileSync(join(projectRoot, 'THREATS.md'), 'utf8');
const cited = [...text.matchAll(/`([\w./-]+\.(?:test|spec)\.tsx?)` '([^']+)'/g)];
const rows = text.split('\n').filter((line) => line.startsWith('| **'));

/** Lines that begin a test, or carry on its title. */
function isThere(file: string, title: string): boolean {
  const path = join(projectRoot, file);
  return existsSync(path) && readFileSync(path, 'utf8').includes(title);
}

test('each test that THREATS.md names is there [ANON-24]', () => {
  expect(cited.length).toBeGreaterThan(12);
  expect(cited.filter(([, file = '', title = '']) => !isThere(file, title)).map(String)).toEqual(
    [],
  );
  expect(isThere('tests/anonymity/swap.test.ts', 'a title that no test has')).toBe(false);
});

test('everybody who might want to know is in it, each with a test or why there is none [ANON-24]', () => {
  for (const who of [
    ...[
      'classmate',
      'not in the class',
      'without an account',
      'instructor',
      'thief of the database',
    ],
    ...['thief of a backup', 'log', 'operator', 'network', 'shared computer'],
  ]) {
    expect(rows.filter((row) => row.includes(who)).length, who).toBeGreaterThan(0);
  }
  for (const row of rows) expect(row, row.slice(0, 40)).toMatch(/\.(test|spec)\.ts` '|\(none: /);
});
