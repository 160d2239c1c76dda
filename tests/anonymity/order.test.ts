// Students come one after another. Somebody with a copy, but without the server's key, lays what came
// next to each other side by side: commits, transactions, and the places of rows on their pages.
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
/** PostgreSQL's rows are written again this long after a change, at the latest. */
const settledMs = 10_000;

describe.each(Object.entries(shapes))('%s', (_, shape) => {
  let app: RunningApp;
  let come: Arrivals;
  /** What a copy pairs that is taken as soon as one more has come. */
  const paired: number[] = [];
  beforeAll(async () => {
    app = await startApp();
    come = await letCome(app, shape, async (sofar) => {
      if (!onPostgres) paired.push(pairedByCommits(app, sofar));
    });
    if (onPostgres) await sleep(settledMs);
  });
  afterAll(() => app.stop());

  test.runIf(onPostgres)('no order of PostgreSQL’s tables pairs them [ANON-28]', async () => {
    expect(await pairedByTables(app, come)).toBeLessThanOrEqual(byChance);
  });

  test.skipIf(onPostgres)('no copy of the running folder pairs them [ANON-28]', async () => {
    expect(Math.max(...paired)).toBeLessThanOrEqual(byChance);
    expect(orderInPages(app, come)).toBeLessThan(surelyAnOrder);
  });

  test('nor does one after a clean stop [ANON-28]', async () => {
    await app.restart();
    if (onPostgres) expect(await pairedByTables(app, come)).toBeLessThanOrEqual(byChance);
    else expect(orderInPages(app, come)).toBeLessThan(surelyAnOrder);
  });
});
