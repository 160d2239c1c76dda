// Builds the service worker as one classic script with a fixed name. The script contains the names of all files of the app.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';
import { inlineRoutes } from './inline-routes.ts';

const entry = fileURLToPath(
  new URL('../../src/web/service-worker/service-worker.ts', import.meta.url),
);
const fileName = 'service-worker.js';
const logoDir = fileURLToPath(new URL('../../src/web/public/logos/', import.meta.url));

export function buildServiceWorkers(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const files = Object.keys(bundle)
          .filter((name) => name.startsWith('assets/') && /\.(js|css|svg|woff2)$/.test(name))
          // The page names the one of its language.
          .filter((name) => !name.startsWith('assets/texts-'))
          .map((name) => `/${name}`)
          .toSorted();
        const logos = readdirSync(logoDir).filter((name) => name.endsWith('.svg'));
        // The contents of logos are hashed, because only the names of built files contain a hash of the content.
        const contents = logos.map((name) => readFileSync(`${logoDir}${name}`, 'utf8'));
        const version = `${hashTexts(files)}-${hashTexts(contents)}`;
        const allFiles = [...files, ...logos.map((name) => `/logos/${name}`)];
        this.emitFile({ type: 'asset', fileName, source: await compile(allFiles, version) });
      },
    },
  };
}

const hashTexts = (texts: readonly string[]) =>
  createHash('sha256').update(texts.join()).digest('base64url').slice(0, 10);

async function compile(files: readonly string[], version: string): Promise<string> {
  const output = await build({
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    plugins: [inlineRoutes()],
    define: { APP_FILES: JSON.stringify(files), APP_VERSION: JSON.stringify(version) },
    build: {
      write: false,
      target: ['chrome123', 'firefox128', 'safari18'],
      lib: { entry, formats: ['iife'], name: 'worker', fileName: () => fileName },
    },
  });
  const [chunk] = [output]
    .flat()
    .flatMap((rollupOutput) => ('output' in rollupOutput ? rollupOutput.output : []));
  if (chunk?.type !== 'chunk') throw new Error('The service worker was not built.');
  return chunk.code;
}
