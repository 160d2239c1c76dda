// Students arrive one after another. An attacker with a copy, but without the server's key, compares adjacent
// commits, transactions, and positions of rows on their pages.
import { beforeAll, describe, expect, test } from 'vitest';
import { setUpApp } from '#tests/support/set-up-app.ts';
import {
  simulateArrivals,
  measureOrderInPages,
  countPairedByCommits,
  countPairedByTables,
  shapes,
  maxChanceOrder,
  type Arrivals,
} from './arrivals.ts';
import { maxChanceHits } from './school.ts';
import { onPostgres, waitUntilSettled } from './settled.ts';

describe.each(Object.entries(shapes))('%s', (_, shape) => {
  const app = setUpApp();
  let arrivals: Arrivals;
  /** The pairs in a copy that is taken right after each arrival. */
  const paired: number[] = [];
  beforeAll(async () => {
    arrivals = await simulateArrivals(app, shape, async (soFar) => {
      if (!onPostgres) paired.push(countPairedByCommits(app, soFar));
    });
    await waitUntilSettled(app);
  });

  test('no copy of the running folder or of PostgreSQL’s tables pairs accounts with personas [ANON-28]', async () => {
    if (onPostgres) {
      expect(await countPairedByTables(app, arrivals)).toBeLessThanOrEqual(maxChanceHits);
    } else {
      expect(Math.max(...paired)).toBeLessThanOrEqual(maxChanceHits);
      expect(measureOrderInPages(app, arrivals)).toBeLessThan(maxChanceOrder);
    }
  });

  test('no copy after a clean stop pairs accounts with personas [ANON-28]', async () => {
    await app.restart();

    if (onPostgres) {
      expect(await countPairedByTables(app, arrivals)).toBeLessThanOrEqual(maxChanceHits);
    } else expect(measureOrderInPages(app, arrivals)).toBeLessThan(maxChanceOrder);
  });
});
