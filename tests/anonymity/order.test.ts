// Students arrive one after another. An attacker with a copy, but without the server's key, compares adjacent
// commits, transactions, and positions of rows on their pages.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type RunningApp } from '../app/running-app.ts';
import {
  letCome,
  orderInPages,
  pairedByCommits,
  pairedByTables,
  shapes,
  surelyAnOrder,
  type Arrivals,
} from './arrivals.ts';
import { byChance } from './school.ts';

const onPostgres = process.env['BACKCHANNEL_TEST_DATABASE'] !== '';
/** PostgreSQL's rows are rewritten at most this long after a change. */
const settledMs = 10_000;

describe.each(Object.entries(shapes))('%s', (_, shape) => {
  let app: RunningApp;
  let come: Arrivals;
  /** The pairs in a copy that is taken right after each arrival. */
  const paired: number[] = [];
  beforeAll(async () => {
    app = await startApp();
    come = await letCome(app, shape, async (sofar) => {
      if (!onPostgres) paired.push(pairedByCommits(app, sofar));
    });
    if (onPostgres) await sleep(settledMs);
  });
  afterAll(() => app.stop());

  test('no copy of the running folder or of PostgreSQL’s tables pairs them [ANON-28]', async () => {
    if (onPostgres) expect(await pairedByTables(app, come)).toBeLessThanOrEqual(byChance);
    else {
      expect(Math.max(...paired)).toBeLessThanOrEqual(byChance);
      expect(orderInPages(app, come)).toBeLessThan(surelyAnOrder);
    }
  });

  test('nor does one after a clean stop [ANON-28]', async () => {
    await app.restart();
    if (onPostgres) expect(await pairedByTables(app, come)).toBeLessThanOrEqual(byChance);
    else expect(orderInPages(app, come)).toBeLessThan(surelyAnOrder);
  });
});
