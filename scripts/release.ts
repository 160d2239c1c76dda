/**
 * `npm run release -- 0.3.0` makes a release of the committed state: the version, the heading of the changelog, and a database
 * of this version for the tests, in one commit with a tag, and the files to publish in dist/release.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version as currentVersion } from '#server/base/version.ts';
import { projectRoot } from './run-tool.ts';

const [newVersion = ''] = process.argv.slice(2);
const changelog = join(projectRoot, 'CHANGELOG.md');
const filesFolder = join(projectRoot, 'dist/release');
const name = `backchannel-${newVersion}`;

checkVersion();
checkCommitted();
const changes = readFileSync(changelog, 'utf8');
const heading = `## ${newVersion} (not released)`;
if (!changes.includes(heading)) fail(`CHANGELOG.md has no "${heading}".`);

const today = new Date().toISOString().slice(0, 10);
writeFileSync(changelog, changes.replace(heading, `## ${newVersion} (${today})`));
run('npm', 'version', newVersion, '--no-git-tag-version', '--allow-same-version');
// In a process of its own: this one has loaded the old version.
run(process.execPath, 'scripts/keep-version.ts');
run('git', 'add', '--all');
run('git', 'commit', '--message', `Release ${newVersion}`);
run('git', 'tag', '--annotate', `v${newVersion}`, '--message', `Backchannel ${newVersion}`);

mkdirSync(filesFolder, { recursive: true });
const archive = `${name}.tar.gz`;
run('git', 'archive', `--prefix=${name}/`, `--output=${join(filesFolder, archive)}`, 'HEAD');
const sbom = `${name}.cdx.json`;
writeFileSync(join(filesFolder, sbom), run('npm', 'run', '--silent', 'sbom'));
const sums = [archive, sbom].map((file) => `${hashFile(file)}  ${file}\n`);
writeFileSync(join(filesFolder, 'SHA256SUMS'), sums.join(''));

console.log(`Version ${newVersion} is committed and tagged. Its files are in ${filesFolder}.
Publish it:
  git push --follow-tags
  docker build --file deploy/Dockerfile --tag backchannel:${newVersion} . && docker push backchannel:${newVersion}`);

function checkVersion(): void {
  if (!/^\d+\.\d+\.\d+$/.test(newVersion)) fail('Name the version: npm run release -- 0.3.0');
  if (newVersion === currentVersion && hasTag(`v${newVersion}`)) fail('This version is released.');
  const parts = newVersion.split('.').map(Number);
  const currentParts = currentVersion.split('.').map(Number);
  const index = parts.findIndex((part, place) => part !== currentParts[place]);
  if (index >= 0 && parts[index]! < currentParts[index]!) {
    fail(`The version is ${currentVersion} already.`);
  }
}

function hasTag(tag: string): boolean {
  return run('git', 'tag', '--list', tag).trim() !== '';
}

function checkCommitted(): void {
  if (run('git', 'status', '--porcelain') !== '') fail('Commit or remove all changes first.');
}

function hashFile(file: string): string {
  return createHash('sha256')
    .update(readFileSync(join(filesFolder, file)))
    .digest('hex');
}

/** @returns what the program printed */
function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: projectRoot,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) fail(`${[command, ...args].join(' ')} failed:\n${stdout}\n${stderr}`);
  return stdout;
}

function fail(reason: string): never {
  console.error(reason);
  process.exit(1);
}
