import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

interface LockFile {
  packages: Record<string, Record<string, unknown>>;
}

const file = resolve(import.meta.dirname, '../../package-lock.json');
const { packages } = JSON.parse(readFileSync(file, 'utf8')) as LockFile;

test('the lock file does not contain download URLs', () => {
  const resolved = Object.keys(packages).filter((name) => 'resolved' in packages[name]!);

  expect(resolved).toEqual([]);
});

test('the lock file names no hosts except those of funding pages', () => {
  const withoutFunding = Object.values(packages).map((entry) => ({ ...entry, funding: null }));

  expect(JSON.stringify(withoutFunding).match(/\w+:\/\/[^"]+/g)).toBeNull();
});

test('the lock file has a hash for every package but this one', () => {
  const unlocked = Object.entries(packages).filter(([name, entry]) => name && !entry['integrity']);

  expect(unlocked.map(([name]) => name)).toEqual([]);
});

test('the lock file contains the packages of every platform, which npm ci requires', () => {
  const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  const optional = Object.values(packages).flatMap((entry) =>
    Object.keys(entry['optionalDependencies'] ?? {}),
  );

  expect(optional.filter((name) => !names.has(name))).toEqual([]);
});
