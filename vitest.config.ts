import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Most tests wait for a server or a timer, so more workers than cores save half the time.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,bench}/**/*.test.ts'],
          exclude: ['src/web/**'],
          environment: 'node',
        },
      },
      {
        test: {
          name: 'web',
          include: ['src/web/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
        },
      },
      {
        test: {
          name: 'integration',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/e2e/**', 'tests/**/*.postgres.test.ts'],
          environment: 'node',
          env: { BACKCHANNEL_TEST_DATABASE: '' },
          testTimeout: 120_000,
          hookTimeout: 120_000,
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
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
