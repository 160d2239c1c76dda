import { defineConfig } from 'vitest/config';
import { SlowFilesFirst } from './tests/slow-files-first.ts';

/** Only a hanging test waits this long. Some start a child process, on a machine that others use too. */
const patience = {
  // As in playwright.config.ts.
  retry: process.env['CI'] === 'true' ? 1 : 0,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 20_000 } },
};

export default defineConfig({
  test: {
    // Many tests wait for a server or a timer, so more workers than cores keep the cores busy.
    maxWorkers: 4,
    sequence: { sequencer: SlowFilesFirst },
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
        test: {
          name: 'web',
          include: ['src/web/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
          ...patience,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/{deploy,e2e}/**', 'tests/**/*.postgres.test.ts'],
          environment: 'node',
          env: { BACKCHANNEL_TEST_DATABASE: '' },
          ...patience,
        },
      },
      {
        test: {
          name: 'deploy',
          include: ['tests/deploy/**/*.test.ts'],
          environment: 'node',
          env: { BACKCHANNEL_TEST_DATABASE: '' },
          ...patience,
        },
      },
      {
        test: {
          name: 'postgres',
          include: ['tests/{app,anonymity,hosted,search,storage}/**/*.test.ts'],
          exclude: ['tests/**/*.sqlite.test.ts'],
          environment: 'node',
          env: {
            BACKCHANNEL_TEST_DATABASE:
              process.env['BACKCHANNEL_TEST_DATABASE'] ?? 'use npm test -- postgres',
          },
          ...patience,
        },
      },
    ],
  },
});
