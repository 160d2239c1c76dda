/**
 * `npm run release -- 0.3.0` makes a release of the committed state. It dates the changelog, sets the version, keeps a database
 * of this version for the tests, which open it, and builds the container image. Then it commits, writes the files to publish into
 * dist/release, and tags. If git has a key (`user.signingkey`), the tag is signed, and with it the checksums in its message.
 * If a step fails, the checkout is as it was.
 */
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { version as currentVersion } from '#server/base/version.ts';
import { projectRoot } from './run-tool.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Omits the image, on a machine without Docker or the base images. */
    'without-image': { type: 'boolean', default: false },
    /** The build arguments of the image, such as `NODE_IMAGE=registry.university.edu/node:26`. */
    'build-arg': { type: 'string', multiple: true, default: [] },
  },
});
const [newVersion = ''] = positionals;
const name = `backchannel-${newVersion}`;
const tag = `v${newVersion}`;
const image = `backchannel:${newVersion}`;
const changelog = join(projectRoot, 'CHANGELOG.md');
const filesFolder = join(projectRoot, 'dist/release');
const keptVersionsFolder = 'tests/app/earlier-versions';
const releasedFiles = ['CHANGELOG.md', 'package.json', 'package-lock.json', keptVersionsFolder];

class ReleaseError extends Error {}

try {
  release();
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function release(): void {
  checkVersion();
  checkChangelog();
  if (run('git', 'status', '--porcelain') !== '') {
    throw new ReleaseError('Commit or remove all changes first.');
  }
  rmSync(filesFolder, { recursive: true, force: true });
  mkdirSync(filesFolder, { recursive: true });
  const startCommit = run('git', 'rev-parse', 'HEAD').trim();

  try {
    setReleaseDate();
    run('npm', 'version', newVersion, '--no-git-tag-version', '--allow-same-version');
    // In a process of its own, because this one has loaded the old version.
    run(process.execPath, 'scripts/keep-version.ts');
    const keptVersionsTest = 'tests/app/backups/earlier-versions.test.ts';
    run(process.execPath, 'scripts/test.ts', keptVersionsTest);
    if (!options['without-image']) buildImage();
    run('git', 'add', '--', ...releasedFiles);
    if (run('git', 'diff', '--name-only') !== '') {
      throw new ReleaseError('Other files have changed during the release.');
    }
    run('git', 'commit', '--message', `Release ${newVersion}`);
    const archive = join(filesFolder, `${name}.tar.gz`);
    run('git', 'archive', `--prefix=${name}/`, `--output=${archive}`, 'HEAD');
    writeSbom();
    writeProvenance();
    const message = `Backchannel ${newVersion}\n\n${writeChecksums()}`;
    run('git', 'tag', hasSigningKey() ? '--sign' : '--annotate', tag, '--message', message);
  } catch (error) {
    run('git', 'reset', '--quiet', startCommit);
    run('git', 'checkout', '--', ...releasedFiles);
    run('git', 'clean', '--force', '-d', '--', keptVersionsFolder);
    throw error;
  }
  console.log(`Version ${newVersion} is committed and tagged. Publish it:

  git push --follow-tags

and the files in dist/release.`);
  if (!hasSigningKey()) console.log('The tag is not signed: git has no user.signingkey.');
  if (options['without-image']) {
    console.log(`The image is missing: build and push ${image} from the tag ${tag}.`);
  }
}

function checkVersion(): void {
  if (!/^\d+\.\d+\.\d+$/.test(newVersion)) {
    throw new ReleaseError('Name the version: npm run release -- 0.3.0');
  }
  if (run('git', 'tag', '--list', tag) !== '') {
    throw new ReleaseError(`${newVersion} is released: the tag ${tag} exists.`);
  }
  const order = newVersion.localeCompare(currentVersion, 'en', { numeric: true });
  if (order < 0) throw new ReleaseError(`The version is ${currentVersion} already.`);
}

function checkChangelog(): void {
  if (!/^## Unreleased\n\n(?!## )/m.test(readFileSync(changelog, 'utf8'))) {
    throw new ReleaseError('CHANGELOG.md has nothing under the heading "## Unreleased".');
  }
}

function setReleaseDate(): void {
  const today = new Date().toISOString().slice(0, 10);
  const heading = `## Unreleased\n\n## ${newVersion} (${today})`;
  const text = readFileSync(changelog, 'utf8');
  writeFileSync(changelog, text.replace(/^## Unreleased$/m, heading));
}

/** Builds the image of the working tree, and writes it as a file that `docker load` reads. */
function buildImage(): void {
  const buildArgs = options['build-arg'].flatMap((value) => ['--build-arg', value]);
  run('docker', 'build', ...buildArgs, '--file', 'deploy/Dockerfile', '--tag', image, '.');
  const file = join(filesFolder, `${name}-image.tar`);
  run('docker', 'save', '--output', file, image);
  run('gzip', file);
}

function writeSbom(): void {
  const sbom = JSON.parse(run('npm', 'run', '--silent', 'sbom')) as {
    metadata: { component: { name: string } };
  };
  // npm writes the name of the folder.
  sbom.metadata.component.name = 'backchannel';
  writeFileSync(join(filesFolder, `${name}.cdx.json`), JSON.stringify(sbom, null, 2));
}

/** From what, and with what, the files were made. */
function writeProvenance(): void {
  const provenance = {
    version: newVersion,
    commit: run('git', 'rev-parse', 'HEAD').trim(),
    committedAt: run('git', 'log', '-1', '--format=%cI').trim(),
    packageLockSha256: hashFile(join(projectRoot, 'package-lock.json')),
    node: process.version,
    npm: run('npm', '--version').trim(),
  };
  const text = `${JSON.stringify(provenance, null, 2)}\n`;
  writeFileSync(join(filesFolder, `${name}.provenance.json`), text);
}

/** @returns the lines of SHA256SUMS */
function writeChecksums(): string {
  const lines = readdirSync(filesFolder)
    .toSorted()
    .map((file) => `${hashFile(join(filesFolder, file))}  ${file}\n`);
  writeFileSync(join(filesFolder, 'SHA256SUMS'), lines.join(''));
  return lines.join('');
}

function hashFile(file: string): string {
  return hash('sha256', readFileSync(file));
}

function hasSigningKey(): boolean {
  return run('git', 'config', '--default', '', '--get', 'user.signingkey').trim() !== '';
}

/** @returns what the program printed */
function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: projectRoot,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  const output = error?.message ?? `${stdout}\n${stderr}`;
  throw new ReleaseError(`${[command, ...args].join(' ')} failed:\n${output}`);
}
