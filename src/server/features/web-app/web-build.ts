// Builds the web app if it is missing or its sources have changed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type * as Vite from 'vite';
import { replaceFolder } from '#server/base/atomic-files.ts';
import { getErrorCode, StartupError } from '#server/base/startup-failure.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const sources = [
  ...['src/web', 'src/contract', 'src/texts', 'src/server/base/catalogues.ts', 'vite.config.ts'],
  'scripts/web-build',
  'package-lock.json',
];

export const webDir = join(root, 'dist', 'web');
/** The name of the file with the hash of the sources. */
const stampName = '.sources';
const stampFile = join(webDir, stampName);

/**
 * Builds in a child process, so that the server does not keep the memory.
 *
 * @param onBuild called before a build, which takes seconds
 * @throws {StartupError}
 */
export async function ensureWebBuilt(onBuild: () => void): Promise<void> {
  if (isBuilt(hashSources())) return;
  onBuild();
  const builder = join(root, 'scripts/build-web.ts');
  const child = spawn(process.execPath, [builder], { stdio: ['ignore', 'inherit', 'pipe'] });
  const [errorOutput, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (code !== 0) throw new StartupError(errorOutput.trim() || 'the web app could not be built.');
}

function isBuilt(stamp: string): boolean {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
}

/** Builds the web app, unless the build is current. */
export async function buildWeb(): Promise<void> {
  const stamp = hashSources();
  if (isBuilt(stamp)) return;
  const { build } = await loadVite();
  // Builds in a temporary folder and then renames it: another server may start or serve in the meantime.
  const temporaryDir = `${webDir}-${process.pid}`;
  try {
    mkdirSync(temporaryDir, { recursive: true });
    await build({
      root: join(root, 'src/web'),
      configFile: join(root, 'vite.config.ts'),
      // Vite's other config loaders write a file next to the config.
      configLoader: 'native',
      build: { outDir: temporaryDir },
      logLevel: 'error',
    });
    await compress(temporaryDir);
    writeFileSync(join(temporaryDir, stampName), stamp);
    replaceFolder(temporaryDir, webDir);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(getErrorCode(error))) throw error;
    throw new StartupError(
      `the web app must be built, but this user cannot write to ${root}. Run npm run build as the user that owns that folder.`,
    );
  } finally {
    rmSync(temporaryDir, { recursive: true, force: true });
  }
}

/**
 * Loads Vite. Vite and its plugin are development packages, which a server with a built web app does not need. npm may
 * install only one of them, as an optional peer of another package.
 *
 * @throws {StartupError}
 */
export async function loadVite(): Promise<Pick<typeof Vite, 'build' | 'createServer'>> {
  try {
    const [vite] = await Promise.all([import('vite'), import('@vitejs/plugin-react')]);
    return vite;
  } catch (error) {
    if (getErrorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StartupError(
      'the web app must be built, but the development packages are not installed. Run npm ci --include=dev and npm run build.',
    );
  }
}

function hashSources(): string {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const file of listFiles(join(root, source))) {
      hash.update(file.slice(root.length)).update(readFileSync(file));
    }
  }
  return hash.digest('hex');
}

function listFiles(path: string): string[] {
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted();
  } catch (error) {
    if (getErrorCode(error) === 'ENOTDIR') return [path];
    throw error;
  }
}

async function compress(dir: string): Promise<void> {
  const { brotliCompressSync } = await import('node:zlib');
  for (const file of listFiles(dir).filter((name) => /\.(js|css|svg)$/.test(name))) {
    if (existsSync(`${file}.br`)) continue;
    writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)));
  }
}
