// THREATS.md names the tests for its claims. Each of these tests must exist.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-tool.ts';

const text = readFileSync(join(projectRoot, 'THREATS.md'), 'utf8');
const cited = [...text.matchAll(/`([\w./-]+\.(?:test|spec)\.tsx?)` '([^']+)'/g)];
const rows = text.split('\n').filter((line) => line.startsWith('| **'));

/** Whether the file contains the title. */
function isThere(file: string, title: string): boolean {
  const path = join(projectRoot, file);
  return existsSync(path) && readFileSync(path, 'utf8').includes(title);
}

test('each test that THREATS.md names exists [ANON-24]', () => {
  expect(cited.length).toBeGreaterThan(12);
  expect(cited.filter(([, file = '', title = '']) => !isThere(file, title)).map(String)).toEqual(
    [],
  );
  expect(isThere('tests/anonymity/swap.test.ts', 'a title that no test has')).toBe(false);
});

test('THREATS.md lists every kind of attacker, each with a test or a reason why there is none [ANON-24]', () => {
  for (const attacker of [
    ...[
      'classmate',
      'not in the class',
      'without an account',
      'instructor',
      'thief of the database',
    ],
    ...['thief of a backup', 'log', 'operator', 'network', 'shared computer'],
  ]) {
    expect(rows.filter((row) => row.includes(attacker)).length, attacker).toBeGreaterThan(0);
  }
  for (const row of rows) expect(row, row.slice(0, 40)).toMatch(/\.(test|spec)\.ts` '|\(none: /);
});
