// The orders of a start and of a stop that must survive, seen by a feature that a test adds to the list.
import { afterEach, expect, test, vi } from 'vitest';
import { createApp } from '#server/app.ts';
import { createLog } from '#server/base/log.ts';
import { loadConfig } from '#server/config/config.ts';
import type { Feature, Server } from '#server/feature.ts';
import { createFeatures } from '#server/features.ts';
import type * as ClassSearch from '#server/features/class-search/feature.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import { createTestDatabase } from '#tests/support/test-database.ts';

const calls: string[] = [];
const log = createLog({ write() {} });
const list = createFeatures as ((server: Server) => Feature)[];

vi.mock('#server/features/class-search/feature.ts', async (importActual) => {
  const actual = await importActual<typeof ClassSearch>();
  return {
    ...actual,
    openClassIndex(...parameters: Parameters<typeof actual.openClassIndex>) {
      const index = actual.openClassIndex(...parameters)!;
      const classesChanged = index.classesChanged.bind(index);
      const stop = index.stop.bind(index);
      return Object.assign(index, {
        classesChanged(classes: Parameters<typeof index.classesChanged>[0]) {
          calls.push(`index ${[...classes.keys()].join()}`);
          classesChanged(classes);
        },
        stop() {
          calls.push('index stops');
          return stop();
        },
      });
    },
  };
});

afterEach(() => {
  list.pop();
  calls.length = 0;
});

/** Starts and stops a server with one more feature. */
async function runWith(
  createFeature: (server: Server) => Feature,
  act: () => Promise<void> = async () => {},
): Promise<void> {
  list.push(createFeature);
  const database = await createTestDatabase();
  const config = loadConfig({ ...database.settings, KEEP_FREE_GB: '0' });
  const app = await createApp(config, log, null);
  await act();
  await app.close();
  await database.drop();
}

test('a start loads what features remember, and follows a change that is stored meanwhile', async () => {
  await runWith(
    ({ commits }) => ({
      async load() {
        calls.push('load');
        await commits.write(
          (unitOfWork) => appendChangeEvent(unitOfWork, 'announcements-changed'),
          'everything',
        );
        calls.push('loaded');
      },
      async onChange({ kind }) {
        calls.push(kind);
      },
      start: () => void calls.push('start'),
    }),
    async () => {
      await expect.poll(() => calls, { timeout: 10_000 }).toContain('announcements-changed');
    },
  );

  expect(calls.filter((call) => !call.startsWith('index'))).toEqual([
    'load',
    'loaded',
    'start',
    'announcements-changed',
  ]);
});

test('the index of classes follows the last commits before the queue is drained', async () => {
  await runWith(({ commits }) => {
    const drain = commits.drain.bind(commits);
    vi.spyOn(commits, 'drain').mockImplementation(() => {
      void commits.write(
        async ({ addEffect }) => addEffect({ kind: 'class', classId: 'last', now: null }),
        'everything',
      );
      return drain();
    });
    return {};
  });

  expect(calls).toEqual(['index last', 'index stops']);
});
