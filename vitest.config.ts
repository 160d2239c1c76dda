import { globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { defineConfig } from 'vitest/config';
import { inlineTexts } from './scripts/web-build/inline-texts.ts';
import { SlowFilesFirst } from './tests/slow-files-first.ts';

/** Only a hanging test waits this long. Some start a child process, on a machine that others use too. */
const patience = {
  // As in playwright.config.ts.
  retry: process.env['CI'] === 'true' ? 1 : 0,
  testTimeout: 240_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 20_000 } },
};

/** Files that replace modules of the server, or restrict the decoders, for all tests of their process. */
const needingOwnProcess = globSync('tests/**/*.test.ts').filter((file) =>
  /vi\.mock\(|process-pdf\.ts/.test(readFileSync(file, 'utf8')),
);

interface AppFiles {
  include: string[];
  exclude: string[];
  env: Record<string, string>;
}

/** Loading the server takes a second, so the files of a worker share it, except those that change it. */
function createAppProjects(name: string, { include, exclude, env }: AppFiles) {
  const common = { environment: 'node' as const, env, ...patience };
  const shared = {
    ...common,
    name,
    isolate: false,
    include,
    exclude: [...exclude, ...needingOwnProcess],
  };
  const ownProcess = {
    ...common,
    name: `${name} (own process)`,
    include: needingOwnProcess.filter((file) =>
      include.some((pattern) => matchesGlob(file, pattern)),
    ),
    exclude,
  };
  // Some run the browser's sync.
  return [
    { plugins: [inlineTexts()], test: shared },
    { plugins: [inlineTexts()], test: ownProcess },
  ];
}

export default defineConfig({
  test: {
    // Many tests wait for a server or a timer, so more workers than cores keep the cores busy.
    maxWorkers: 6,
    // By the seed of the day, so that no test needs another one.
    sequence: { sequencer: SlowFilesFirst, shuffle: { tests: true, files: false } },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,bench}/**/*.test.ts'],
          exclude: ['src/web/**'],
          environment: 'node',
          ...patience,
        },
      },
      {
        plugins: [inlineTexts()],
        test: {
          name: 'web',
          include: ['src/web/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
          ...patience,
        },
      },
      ...createAppProjects('integration', {
        include: ['tests/**/*.test.ts'],
        exclude: ['tests/{deploy,e2e}/**', 'tests/**/*.postgres.test.ts'],
        env: { BACKCHANNEL_TEST_DATABASE: '' },
      }),
      {
        test: {
          name: 'deploy',
          include: ['tests/deploy/**/*.test.ts'],
          environment: 'node',
          env: { BACKCHANNEL_TEST_DATABASE: '' },
          ...patience,
        },
      },
      ...createAppProjects('postgres', {
        include: ['tests/{app,anonymity,hosted,search,storage}/**/*.test.ts'],
        exclude: ['tests/**/*.sqlite.test.ts'],
        env: {
          BACKCHANNEL_TEST_DATABASE:
            process.env['BACKCHANNEL_TEST_DATABASE'] ?? 'use npm test -- postgres',
        },
      }),
    ],
  },
});
