// The browser app is built when it is missing or its sources have changed since.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { replaceFolder } from './replace-folder.ts';
import { StartupError } from './startup-failure.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = ['src/web', 'src/contract', 'vite.config.ts', 'package-lock.json'];

export const webDir = join(root, 'dist', 'web');
/** Which sources the build was made of. */
const stampName = '.sources';
const stampFile = join(webDir, stampName);

/** @param onBuild told before a build, which takes seconds */
export async function ensureWebBuilt(onBuild: () => void): Promise<void> {
  const stamp = hashSources();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  onBuild();
  const { build } = await import('vite');
  // Built aside and put in place whole: another server may start, or serve, meanwhile.
  const aside = `${webDir}-${process.pid}`;
  try {
    await build({
      root: join(root, 'src/web'),
      configFile: join(root, 'vite.config.ts'),
      build: { outDir: aside },
      logLevel: 'error',
    });
    await compress(aside);
    writeFileSync(join(aside, stampName), stamp);
    replaceFolder(aside, webDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    throw new StartupError(
      `the web app cannot be built, for this user may not write in ${root}. Run npm run build as one who may.`,
    );
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function hashSources(): string {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const file of filesOf(join(root, source)))
      hash.update(file.slice(root.length)).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function filesOf(path: string): string[] {
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return [path];
    throw error;
  }
}

async function compress(dir: string): Promise<void> {
  const { brotliCompressSync } = await import('node:zlib');
  for (const file of filesOf(dir).filter((name) => /\.(js|css|svg)$/.test(name))) {
    writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)));
  }
}
