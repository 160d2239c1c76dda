// Proves that the attacks of order.test.ts find an existing order: here it is not erased, and read marks are
// written immediately.
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

// Arrivals of a burst overlap, so adjacency alone does not reliably pair them.
const oneByOne = Object.entries(shapes).filter(([, { burst }]) => !burst);

describe.each(oneByOne)('%s', (name, shape) => {
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
    // A student who left and signed out has no row in the tables that reveal times.
    const gone = name.includes('leave');
    if (onPostgres) {
      if (!gone) expect(await pairedByTables(app, come)).toBeGreaterThan(byChance);
      return;
    }
    expect(Math.max(...paired)).toBeGreaterThan(byChance);
    // If many rows existed before, page splits have sorted them.
    if (name !== 'sign up, join, then speak') return;
    await app.restart();
    expect(orderInPages(app, come)).toBeGreaterThan(surelyAnOrder);
  });
});
