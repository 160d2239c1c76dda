import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { inlineClassNames } from './scripts/web-build/inline-class-names.ts';
import { inlineRoutes } from './scripts/web-build/inline-routes.ts';
import { inlineTexts } from './scripts/web-build/inline-texts.ts';
import { buildServiceWorkers } from './scripts/web-build/service-worker-plugin.ts';
import * as breakpoints from './src/web/ui/breakpoints.ts';

const firstPaint = fileURLToPath(new URL('src/web/first-paint.ts', import.meta.url));
const firstPaintName = 'first-paint.js';

/**
 * Builds `first-paint.ts` as a classic script with a hashed name. Vite itself builds only modules, which run
 * after the first paint.
 */
function createFirstPaintScript(): Plugin {
  return {
    name: 'first-paint-script',
    apply: 'build',
    buildStart() {
      // The file has no types, so it is JavaScript as it is.
      this.emitFile({ type: 'asset', name: firstPaintName, source: readFileSync(firstPaint) });
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const script = Object.values(bundle).find(
          (file) => file.type === 'asset' && file.names.includes(firstPaintName),
        );
        if (!script) throw new Error('The build has no first-paint script.');
        return html.replace('src="/first-paint.ts"', `src="/${script.fileName}"`);
      },
    },
  };
}

const mediaQueries = new Map<string, string>(
  Object.entries(breakpoints).map(([name, query]) => [toKebabCase(name), query]),
);

function toKebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * Replaces `(--narrow)` in media queries, as CSS's future `@custom-media` will. It runs after Vite's own plugin, which
 * puts the rules that a file composes into it.
 */
function createCustomMedia(): Plugin {
  return {
    name: 'custom-media',
    transform: {
      filter: { id: /\.css(\?|$)/ },
      handler: (code) =>
        code.replace(/@media[^{]+/g, (condition) =>
          condition.replace(/\(--([\w-]+)\)/g, (_, name: string) => {
            const query = mediaQueries.get(name);
            if (query === undefined) throw new Error(`There is no media query ${name}.`);
            return query;
          }),
        ),
    },
  };
}

/** The chunks that only signed-out visitors load with the page. */
const visitorChunks = ['form-fields', 'signed-out-area'];
/** The chunks that only members load with the page. */
const memberChunks = ['live-connection', 'member-area'];

/**
 * Adds `signed-in.html`, the page for a browser with a session cookie. It loads the code behind sign-in instead of sign-in
 * itself, and tells first-requests.ts about the cookie.
 */
function createSignedInPage(): Plugin {
  return {
    name: 'signed-in-page',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const index = bundle['index.html'];
        if (index?.type !== 'asset') throw new Error('The build has no index.html.');
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const addChunks = (html: string, names: readonly string[]) => {
          const tags = names.flatMap((name) => {
            const chunk = chunks.find(({ name: chunkName }) => chunkName === name);
            if (!chunk) throw new Error(`The build has no chunk ${name}.`);
            const styles = [...(chunk.viteMetadata?.importedCss ?? [])];
            return [
              `<link rel="modulepreload" crossorigin href="/${chunk.fileName}">`,
              ...styles.map((file) => `<link rel="stylesheet" crossorigin href="/${file}">`),
            ];
          });
          return html.replace('</head>', `${tags.join('\n')}\n</head>`);
        };
        const html = String(index.source);
        const source = html.replace(
          '<meta name="session" content=""',
          '<meta name="session" content="expected"',
        );
        this.emitFile({
          type: 'asset',
          fileName: 'signed-in.html',
          source: addChunks(source, memberChunks),
        });
        index.source = addChunks(html, visitorChunks);
      },
    },
  };
}

/** Loaded first on every page, with what both sign-in and the connection need. */
const firstRequests =
  /app\/first-requests\.ts$|contract\/(limits|text)\.ts$|data\/reload-guard\.ts$|\/useMutation\.js$|rolldown\/runtime/;

/** Loaded together after the room. */
const questions =
  /(data\/(room-)?questions|question-card|message-question|question-offers|questions-button)\.tsx?$/;

/** Says that the connection is lost, and what waits for it. */
const offlineNotes =
  /features\/chat\/(connection-notice|messages\/unsent-notes|pictures\/upload-note)\.tsx$/;

/** Loaded together after the first screen (lazy-module.ts). */
const dialogs =
  /features\/((class-list\/(class-(switcher|menu)|list-resizer|mark-all-read)|shortcuts\/shortcuts-dialog|persona\/persona-dialog)|chat\/(messages\/message-(menu|editor)|pictures\/local-picture|composer\/(staged-pictures|unsent-draft|text-edits|composer-hints|mention-list)))\.tsx?$|data\/save-preferences\.ts$|ui\/(form-dialog|menu)\.tsx$|(browser|load)-pictures?\.ts$/;

export default defineConfig({
  root: 'src/web',
  css: {
    // File names are unique and compress better than the hashes that Vite would add.
    modules: { generateScopedName: (name, file) => `${basename(file, '.module.css')}_${name}` },
  },
  plugins: [
    react(),
    inlineClassNames(),
    inlineRoutes(),
    inlineTexts(),
    createCustomMedia(),
    createFirstPaintScript(),
    createSignedInPage(),
    buildServiceWorkers(),
  ],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    // The first versions with light-dark() and relative colors: nothing is lowered.
    target: ['chrome123', 'firefox128', 'safari18'],
    // The content security policy allows no data: scripts and no inline ones.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.txt' },
    rolldownOptions: {
      optimization: { inlineConst: { mode: 'all', pass: 3 } },
      output: {
        codeSplitting: {
          // Each group has its modules with all their imports, except those of the groups before it. The page runs
          // the chunks in this order.
          groups: [
            {
              name: 'first-requests',
              test: firstRequests,
              priority: 5,
            },
            { name: 'live-connection', test: /app\/live-connection\.ts$/, priority: 4 },
            {
              name: 'index',
              test: /web\/(main|ui\/(page-heading|logo|icon|use-title))\.tsx?$/,
              priority: 3,
            },
            { name: 'member-area', test: /app\/member-area\.tsx$/, priority: 2 },
            {
              name: 'form-fields',
              test: /web\/ui\/((text|password)-field|check-box|callout)\.tsx$|contract\/email-address\.ts$/,
              priority: 1,
            },
            // The first screen has some of them before the dialogs.
            { name: 'commands', test: /data\/use-call\.ts$|ui\/(status|form)\.tsx$/, priority: 1 },
            { name: 'questions', test: questions, priority: 1 },
            // A newcomer has them with the room.
            { name: 'newcomer', test: /persona\/(joining-moment|icon-choice)\.tsx$/, priority: 1 },
            // Loaded right after the first screen, because it is needed when there is no connection.
            { name: 'offline-notes', test: offlineNotes, priority: 1 },
            { name: 'dialogs', test: dialogs, priority: 0 },
          ],
        },
      },
    },
  },
});
