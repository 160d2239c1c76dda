// The attempts of order.test.ts prove something only if they find an order that is there: here nothing
// erases it, and read marks are written at once.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { updateReadSeqs } from '#server/storage/queries/personas.ts';
import { startApp, type RunningApp } from '../app/running-app.ts';
import {
  letCome,
  orderInPages,
  pairedByCommits,
  pairedByTables,
  shapes,
  surelyAnOrder,
} from './arrivals.ts';
import { byChance } from './school.ts';

vi.mock(import('#server/storage/dialects/sqlite-row-order.ts'), () => ({
  createRowOrderEraser: () => ({ stop: async () => {} }),
}));
vi.mock(import('#server/storage/dialects/postgres-row-order.ts'), () => ({
  createRowOrderEraser: () => ({ stop: async () => {} }),
}));
vi.mock(import('#server/domain/read-marks.ts'), () => ({
  createReadMarks: (commits) => ({
    note: (mark) => void commits.write(({ db }) => updateReadSeqs(db, [mark])),
    readSeqOf: () => 0,
    stop: async () => {},
  }),
}));

const onPostgres = process.env['BACKCHANNEL_TEST_DATABASE'] !== '';

describe.each(Object.entries(shapes))('%s', (name, shape) => {
  let app: RunningApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.stop());

  test('an order that is left pairs accounts with personas [ANON-28]', async () => {
    const paired: number[] = [];
    const come = await letCome(app, shape, async (sofar) => {
      if (!onPostgres) paired.push(pairedByCommits(app, sofar));
    });
    // Who has left and signed out has no row in a table that says when.
    const gone = name.includes('leave');
    if (onPostgres) {
      if (!gone) expect(await pairedByTables(app, come)).toBeGreaterThan(byChance);
      return;
    }
    expect(Math.max(...paired)).toBeGreaterThan(byChance);
    // Where many rows were before, pages have been split, which sorts them.
    if (name !== 'sign up, join, then speak') return;
    await app.restart();
    expect(orderInPages(app, come)).toBeGreaterThan(surelyAnOrder);
  });
});
