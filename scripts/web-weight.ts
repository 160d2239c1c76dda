// Measures how much JavaScript a student has to load. The check makes a separate build.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'vite';
import { projectRoot } from './run-tool.ts';

/** One chunk of Vite's manifest. */
interface Chunk {
  name?: string;
  file: string;
  /** Chunks that must load before this one runs. */
  imports?: string[];
}
type Manifest = Record<string, Chunk>;

interface Screen {
  name: string;
  /** The chunks that the screen needs. Their imports are added. */
  needs: readonly string[];
  maxBytes: number;
}

const screens: readonly Screen[] = [
  { name: 'sign-in [DEV-2]', needs: ['index', 'signed-out-area'], maxBytes: 100_300 },
  {
    name: 'the first message on screen [DEV-2]',
    needs: ['index', 'live-connection', 'member-area'],
    maxBytes: 159_100,
  },
  {
    name: 'a message with markup [MARKUP-16]',
    needs: ['index', 'live-connection', 'member-area', 'parse-message'],
    maxBytes: 185_000,
  },
];

/** The modules that load only on demand. */
const lazyChunks = [
  'app/search-page.tsx',
  'features/message-search/message-search.tsx',
  'features/create-class/create-screen.tsx',
  'app/profile-area.tsx',
  'features/privacy/privacy-screen.tsx',
  'app/moderation-area.tsx',
  'app/admin-area.tsx',
  'app/class-panel.tsx',
  'app/installed/installed-app.tsx',
  'features/announcements/announcement-banner.tsx',
  'features/chat/pins/pin-bar.tsx',
  'features/chat/catch-up/catch-up-card.tsx',
  'features/questions/question-panel.tsx',
  'features/report/report-dialog.tsx',
  'features/appeal/sanction-notice.tsx',
  'features/chat/pictures/picture-overlay.tsx',
  'ui/rendered-formula.tsx',
  'markup/highlight.ts',
];

/** Builds the web app, and prints the size of each screen. @returns whether all sizes are within their limit */
export async function checkWebWeight(): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), 'backchannel-weight-'));
  try {
    await build({
      root: join(projectRoot, 'src/web'),
      configFile: join(projectRoot, 'vite.config.ts'),
      build: { outDir: dir, manifest: true },
      logLevel: 'error',
    });
    const manifest = loadManifest(dir);
    return screens.map((screen) => isLight(screen, manifest, dir)).every(Boolean);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function loadManifest(dir: string): Manifest {
  return JSON.parse(readFileSync(join(dir, '.vite/manifest.json'), 'utf8')) as Manifest;
}

function isLight({ name, needs, maxBytes }: Screen, manifest: Manifest, dir: string): boolean {
  const chunks = addImports(needs, manifest);
  const bytes = [...chunks]
    .map((key) => manifest[key]?.file ?? '')
    .filter((file) => file.endsWith('.js'))
    .map((file) => brotliCompressSync(readFileSync(join(dir, file))).length)
    .reduce((sum, size) => sum + size, 0);
  const earlyChunks = lazyChunks.filter((key) => !manifest[key] || chunks.has(key));
  for (const key of earlyChunks) {
    console.log(`${key} is loaded before ${name}: it has to stay lazy.`);
  }
  const verdict = bytes <= maxBytes ? 'at most' : 'TOO MUCH: at most';
  console.log(
    `JavaScript for ${name}: ${formatKilobytes(bytes)} (brotli), ${verdict} ${formatKilobytes(maxBytes)}`,
  );
  return bytes <= maxBytes && earlyChunks.length === 0;
}

/** @returns the keys of the chunks with these names, and of what they import */
function addImports(names: readonly string[], manifest: Manifest): Set<string> {
  const keys = new Set(names.map((name) => getKey(name, manifest)));
  // Iterating a Set also visits entries that are added during the loop.
  for (const key of keys) {
    for (const importedKey of manifest[key]?.imports ?? []) keys.add(importedKey);
  }
  return keys;
}

function getKey(name: string, manifest: Manifest): string {
  const key = Object.keys(manifest).find((chunk) => manifest[chunk]?.name === name);
  if (key === undefined) throw new Error(`The build has no chunk ${name}.`);
  return key;
}

function formatKilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
