import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-tool.ts';

interface Sbom {
  bomFormat: string;
  components: { name: string; version: string; hashes?: unknown[] }[];
}

test('npm run sbom lists every locked package with its hash, without network access', () => {
  const { status, stdout } = spawnSync('npm', ['run', '--silent', '--offline', 'sbom'], {
    cwd: projectRoot,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  expect(status).toBe(0);

  const { bomFormat, components } = JSON.parse(stdout) as Sbom;
  expect(bomFormat).toBe('CycloneDX');
  expect(components.filter(({ hashes = [] }) => hashes.length === 0)).toEqual([]);

  const lock = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string }>;
  };
  const listedPackages = new Set(components.map(({ name, version }) => `${name}@${version}`));
  const lockedPackages = Object.entries(lock.packages)
    .filter(([path]) => path !== '')
    .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`);
  expect(lockedPackages.filter((lockedPackage) => !listedPackages.has(lockedPackage))).toEqual([]);
});
