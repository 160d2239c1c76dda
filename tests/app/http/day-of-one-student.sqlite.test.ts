// What one student can make the server keep in a day: the growth of each action, as often as the limits allow it.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultRates } from '#server/base/rates.ts';
import type { RunningApp } from '#tests/support/running-app.ts';
import { calls } from '#tests/calls/calls.ts';
import type { DayBound } from '#tests/calls/facts.ts';
import {
  boundedTables,
  dayTotal,
  findDayBound,
  findRateOfAct,
  noGrowth,
} from '#tests/worst-cases/bounds.ts';
import type { SqlCounter } from '#tests/worst-cases/count-work.ts';
import { isFrame, type OperationName, type Outcome, type Stage } from '#tests/worst-cases/stage.ts';
import { startStagedApp, type StagedApp } from '#tests/worst-cases/staged-app.ts';

const patienceMs = 300_000;
const secondsOfDay = 86_400;
const figures = ['rows', 'megabytes', 'mails', 'files'] as const;
let staged: StagedApp;
let counter: SqlCounter;
let app: RunningApp;
let stage: Stage;
let sizesQuery: string;

beforeAll(async () => {
  staged = await startStagedApp({ messages: 100, classes: 6, reports: 0 });
  ({ app, counter, stage } = staged);
  sizesQuery = await createSizesQuery();
}, patienceMs);

afterAll(() => staged.stop());

/** Builds a query of the number and the bytes of all rows in the tables without a bound. */
async function createSizesQuery(): Promise<string> {
  const columns = await app.database.query(
    `select tables.name as "table", columns.name as "column" from sqlite_schema tables
     join pragma_table_info(tables.name) columns where tables.type = 'table'`,
  );
  const byTable = Object.groupBy(columns, ({ table }) => String(table));
  const sizes = Object.entries(byTable)
    .filter(([table]) => !boundedTables.includes(table))
    .map(([table, ofTable = []]) => {
      const bytes = ofTable.map(({ column }) => `coalesce(octet_length("${String(column)}"), 0)`);
      return `select count(*) as "rows", coalesce(sum(${bytes.join(' + ')}), 0) as bytes from "${table}"`;
    });
  return `select sum("rows") as "rows", sum(bytes) as bytes from (${sizes.join(' union all ')})`;
}

interface State {
  rows: number;
  bytes: number;
  mails: number;
  files: number;
}

let lastState: { rowsWritten: number; state: State } | null = null;

/** Reads again only if something was written. */
async function getState(): Promise<State> {
  const { rowsWritten, mails } = counter.read();
  if (lastState?.rowsWritten === rowsWritten) return lastState.state;
  const [row] = await app.database.query(sizesQuery);
  const state = {
    rows: Number(row?.['rows']),
    bytes: Number(row?.['bytes']),
    mails,
    files: readdirSync(join(app.database.settings.DATA_DIR, 'images')).length,
  };
  lastState = { rowsWritten, state };
  return state;
}

/** Counts how often a student can perform the action in a day. The limit of texts counts bytes. */
function countActsOfDay(name: OperationName, bytes: number): number {
  const { burst, perSecond } = findRateOfAct(name);
  const acts = burst + perSecond * secondsOfDay;
  if (name !== 'post' && name !== 'edit') return acts;
  const { count: kilobytes } = defaultRates.textKilobytes;
  return Math.min(acts, (2 * kilobytes * 1000) / bytes);
}

async function measureDay(name: OperationName, act: () => Promise<Outcome>): Promise<DayBound> {
  const stateBefore = await getState();
  const { bytesReceived } = await act();
  const stateAfter = await getState();
  const acts = countActsOfDay(name, bytesReceived);
  const grow = (from: number, to: number) => Math.ceil(Math.max(0, to - from) * acts);
  return {
    rows: grow(stateBefore.rows, stateAfter.rows),
    megabytes: Math.ceil(grow(stateBefore.bytes, stateAfter.bytes) / 1e6),
    mails: grow(stateBefore.mails, stateAfter.mails),
    files: grow(stateBefore.files, stateAfter.files),
  };
}

/** The largest of each figure. The first round writes what later ones only change. */
async function measureWorstDay(name: OperationName): Promise<DayBound> {
  if (stage.isRepeatable(name)) {
    for (const act of await stage.prepare(name)) await act();
  }
  const worst = { ...noGrowth };
  for (const act of await stage.prepare(name)) {
    const day = await measureDay(name, act);
    for (const figure of figures) worst[figure] = Math.max(worst[figure], day[figure]);
  }
  return worst;
}

test(
  'in a day at every limit, no action of one student adds more than its entry says [LIMIT-56]',
  { timeout: patienceMs },
  async () => {
    const excesses: string[] = [];
    const isOnce = (name: OperationName) => !isFrame(name) && calls[name].oncePerPerson;
    const names = stage.names.filter((name) => stage.isOfStudent(name) && !isOnce(name));
    for (const name of names) {
      const bound = findDayBound(name);
      const isAboveBound = (day: DayBound) => figures.some((figure) => day[figure] > bound[figure]);
      const worst = await measureWorstDay(name);
      // Numbers of votes are published at random moments: what only one measurement has is not of the action.
      if (isAboveBound(worst) && isAboveBound(await measureWorstDay(name))) {
        excesses.push(`${name}: ${JSON.stringify(worst)}`);
      }
    }

    expect(excesses).toEqual([]);
  },
);

test('the actions of one student together have a bound [LIMIT-56]', () => {
  const bounds = stage.names.map(findDayBound).filter(({ ofNetwork }) => !ofNetwork);
  const sum = (figure: (typeof figures)[number]) =>
    bounds.reduce((total, bound) => total + bound[figure], 0);

  const { count: kilobytes } = defaultRates.uploadKilobytes;
  expect(sum('megabytes') + (2 * kilobytes) / 1000).toBeLessThanOrEqual(dayTotal.megabytes);
  for (const figure of ['rows', 'mails', 'files'] as const) {
    expect(sum(figure)).toBeLessThanOrEqual(dayTotal[figure]);
  }
});
