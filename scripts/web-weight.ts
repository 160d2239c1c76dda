// How much JavaScript a student waits for, of a build made for the question.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'vite';
import { projectRoot } from './run-tool.ts';

/** One chunk of Vite's manifest, where it stands under its source's name. */
interface Chunk {
  file: string;
  /** What must be there before it runs. */
  imports?: string[];
  /** What it fetches when it is needed. */
  dynamicImports?: string[];
}
type Manifest = Record<string, Chunk>;

interface Moment {
  name: string;
  /** The sources that the screen needs, with all that these import. */
  needs: readonly string[];
  maxBytes: number;
}

const start = 'index.html';
const moments: readonly Moment[] = [
  { name: 'sign-in [DEV-2]', needs: [start], maxBytes: 110_000 },
  {
    name: 'the first message on screen [DEV-2]',
    needs: [start, 'app/member-area.tsx'],
    maxBytes: 150_000,
  },
];

/** Screens of their own: nobody waits for them before asking for them. */
const lazy = [
  'features/search-classes/search-screen.tsx',
  'features/create-class/create-screen.tsx',
  'features/profile/profile-screen.tsx',
  'features/privacy/privacy-screen.tsx',
  'features/chat/picture-overlay.tsx',
];

/** Builds the web app, says what each moment weighs, and whether all is within its budget. */
export async function checkWebWeight(): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), 'backchannel-weight-'));
  try {
    await build({
      root: join(projectRoot, 'src/web'),
      configFile: join(projectRoot, 'vite.config.ts'),
      build: { outDir: dir, manifest: true },
      logLevel: 'error',
    });
    const manifest = readManifest(dir);
    return moments.map((moment) => isLight(moment, manifest, dir)).every(Boolean);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function readManifest(dir: string): Manifest {
  return JSON.parse(readFileSync(join(dir, '.vite/manifest.json'), 'utf8')) as Manifest;
}

function isLight({ name, needs, maxBytes }: Moment, manifest: Manifest, dir: string): boolean {
  const chunks = withImports(needs, manifest);
  const bytes = [...chunks]
    .map((key) => chunkOf(manifest, key).file)
    .filter((file) => file.endsWith('.js'))
    .map((file) => brotliCompressSync(readFileSync(join(dir, file))).length)
    .reduce((sum, size) => sum + size, 0);
  const early = lazy.filter((key) => !manifest[key] || chunks.has(key));
  for (const key of early) console.log(`${key} is loaded before ${name}: it has to stay lazy.`);
  const verdict = bytes <= maxBytes ? 'at most' : 'TOO MUCH: at most';
  console.log(`JavaScript for ${name}: ${kB(bytes)} (brotli), ${verdict} ${kB(maxBytes)}`);
  return bytes <= maxBytes && early.length === 0;
}

/** @param needs names in the manifest; each one's static imports follow, and theirs */
function withImports(needs: readonly string[], manifest: Manifest): Set<string> {
  const found = new Set(needs);
  // A set gives what is added on the way too.
  for (const key of found) {
    for (const next of chunkOf(manifest, key).imports ?? []) found.add(next);
  }
  return found;
}

function chunkOf(manifest: Manifest, key: string): Chunk {
  const chunk = manifest[key];
  if (!chunk) throw new Error(`The build has no chunk for ${key}: is it imported lazily?`);
  return chunk;
}

function kB(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
