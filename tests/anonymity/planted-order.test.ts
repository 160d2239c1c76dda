// Proves that the attacks of order.test.ts find an existing order: here it is not erased, and read marks are
// written immediately.
import { describe, expect, test, vi } from 'vitest';
import { setUpApp } from '#tests/support/set-up-app.ts';
import {
  simulateArrivals,
  measureOrderInPages,
  countPairedByCommits,
  countPairedByTables,
  shapes,
  maxChanceOrder,
} from './arrivals.ts';
import { maxChanceHits } from './school.ts';
import { onPostgres } from './settled.ts';

vi.mock('#server/store/dialects/sqlite-row-order.ts', () => ({
  SqliteRowOrderEraser: class {
    async stop() {}
  },
}));
vi.mock(import('#server/store/dialects/postgres-row-order.ts'), () => ({
  createRowOrderEraser: () => ({ stop: async () => {} }),
}));

// Arrivals of a burst overlap, so adjacency alone does not reliably pair them. Reading and voting
// write nothing about a persona.
const withoutPersona = ['sign in, then read', 'sign in, then vote only'];
const oneByOne = Object.entries(shapes).filter(
  ([name, { burst }]) => !burst && !withoutPersona.includes(name),
);

describe.each(oneByOne)('%s', (name, shape) => {
  const app = setUpApp();

  test('rows in their original order pair accounts with personas [ANON-28]', async () => {
    const paired: number[] = [];
    const arrivals = await simulateArrivals(app, shape, async (soFar) => {
      if (!onPostgres) paired.push(countPairedByCommits(app, soFar));
    });
    // A student who left and signed out has no row in the tables that reveal times.
    const isLeaving = name.includes('leave');

    if (onPostgres) {
      if (!isLeaving) {
        expect(await countPairedByTables(app, arrivals)).toBeGreaterThan(maxChanceHits);
      }
      return;
    }
    expect(Math.max(...paired)).toBeGreaterThan(maxChanceHits);

    // If many rows existed before, page splits have sorted them.
    if (name !== 'sign up, join, then speak') return;
    await app.restart();
    expect(measureOrderInPages(app, arrivals)).toBeGreaterThan(maxChanceOrder);
  });
});
