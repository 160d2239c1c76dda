// `npm run release` in a repository of its own.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyCheckout } from '../../scripts/copy-checkout.ts';
import { projectRoot } from '../../scripts/run-tool.ts';
import { createChildEnvironment } from '#tests/support/child-environment.ts';

const version = '99.0.0';
const filesFolder = 'dist/release';

let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'backchannel-release-'));
  copyCheckout(checkout);
  symlinkSync(join(projectRoot, 'node_modules'), join(checkout, 'node_modules'));
  // The headings of the earlier releases stay, because each has a kept database.
  writeFile(
    'CHANGELOG.md',
    loadFile('CHANGELOG.md').replace(/(?<=^## Unreleased\n\n)[^]*?(?=^## )/m, '- A change.\n\n'),
  );
  runGit('init', '--quiet');
  appendFileSync(join(checkout, '.git/info/exclude'), '/node_modules\n');
  runGit('add', '--all');
  runGit('commit', '--quiet', '--message', 'Before');
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

const identity = ['AUTHOR', 'COMMITTER'].flatMap((role) => [
  [`GIT_${role}_NAME`, 'Test'],
  [`GIT_${role}_EMAIL`, 'test@university.edu'],
]);

function run(command: string, ...args: string[]) {
  const env = createChildEnvironment(Object.fromEntries(identity));
  return spawnSync(command, args, { cwd: checkout, env, encoding: 'utf8' });
}

function runGit(...args: string[]): string {
  const { status, stdout, stderr } = run('git', ...args);
  expect(status, stderr).toBe(0);
  return stdout.trim();
}

const release = (...args: string[]) => run(process.execPath, 'scripts/release.ts', ...args);

function loadFile(file: string): string {
  return readFileSync(join(checkout, file), 'utf8');
}

function writeFile(file: string, text: string): void {
  writeFileSync(join(checkout, file), text);
}

/** Lets git sign with a program that does what the shell command says. */
function signTagsWith(command: string): void {
  const program = join(checkout, '.git/sign');
  writeFileSync(program, `#!/bin/sh\ncat > /dev/null\n${command}\n`, { mode: 0o700 });
  runGit('config', 'gpg.program', program);
  runGit('config', 'user.signingkey', 'test');
}

test('a release that cannot be made says why and changes nothing [UPGRADE-3]', () => {
  const attempt = (...args: string[]) => {
    const { status, stderr } = release(...args);
    expect(status).toBe(1);
    return stderr;
  };

  expect(attempt()).toContain('Name the version');
  expect(attempt('0.0.1')).toContain('already');
  writeFile('notes.txt', 'not committed');
  expect(attempt(version)).toContain('Commit or remove all changes first.');
  rmSync(join(checkout, 'notes.txt'));
  signTagsWith('exit 1');
  expect(attempt(version, '--without-image')).toContain('git tag');
  expect(runGit('status', '--porcelain')).toBe('');
  expect(runGit('log', '--format=%s')).toBe('Before');
});

test('a release is a dated, tagged commit with a kept database, and files with checksums [UPGRADE-3, UPGRADE-5]', () => {
  signTagsWith('echo "-----BEGIN PGP SIGNATURE-----"; echo "[GNUPG:] SIG_CREATED " >&2');
  const { status, stdout, stderr } = release(version, '--without-image');

  expect(status, stderr).toBe(0);
  expect(stdout).toContain('git push --follow-tags');
  expect(runGit('status', '--porcelain')).toBe('');
  expect(runGit('log', '--format=%s')).toBe(`Release ${version}\nBefore`);
  expect(runGit('rev-parse', `v${version}^{commit}`)).toBe(runGit('rev-parse', 'HEAD'));
  expect(runGit('diff', '--name-only', 'HEAD~1').split('\n')).toEqual([
    'CHANGELOG.md',
    'package-lock.json',
    'package.json',
    ...readdirSync(join(checkout, 'tests/app/earlier-versions', version))
      .toSorted()
      .map((file) => `tests/app/earlier-versions/${version}/${file}`),
  ]);
  const today = new Date().toISOString().slice(0, 10);
  expect(loadFile('CHANGELOG.md')).toContain(
    `## Unreleased\n\n## ${version} (${today})\n\n- A change.`,
  );
  expect(JSON.parse(loadFile('package.json'))).toMatchObject({ version });

  const files = readdirSync(join(checkout, filesFolder)).toSorted();
  expect(files).toEqual([
    'SHA256SUMS',
    ...['cdx.json', 'provenance.json', 'tar.gz'].map(
      (ending) => `backchannel-${version}.${ending}`,
    ),
  ]);
  const sums = loadFile(`${filesFolder}/SHA256SUMS`);
  const lines = sums.trim().split('\n');
  expect(lines).toEqual(
    files.slice(1).map((file) => {
      const content = readFileSync(join(checkout, filesFolder, file));
      return `${createHash('sha256').update(content).digest('hex')}  ${file}`;
    }),
  );
  expect(JSON.parse(loadFile(`${filesFolder}/backchannel-${version}.cdx.json`))).toMatchObject({
    metadata: { component: { name: 'backchannel', version } },
  });
  expect(JSON.parse(loadFile(`${filesFolder}/backchannel-${version}.provenance.json`))).toEqual({
    version,
    commit: runGit('rev-parse', 'HEAD'),
    committedAt: runGit('log', '-1', '--format=%cI'),
    packageLockSha256: createHash('sha256').update(loadFile('package-lock.json')).digest('hex'),
    node: process.version,
    npm: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
  });
  const tagged = runGit('cat-file', 'tag', `v${version}`);
  expect(tagged).toContain(`Backchannel ${version}\n\n${sums}-----BEGIN PGP SIGNATURE-----`);

  const second = release(version, '--without-image');
  expect(second.stderr).toContain('is released');
  expect(release('99.0.1', '--without-image').stderr).toContain('nothing under the heading');
});
