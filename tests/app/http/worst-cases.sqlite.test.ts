// What the most expensive input of each call and frame costs, in the most expensive state that one student can
// prepare. A change of the figures is a change of its entry in tests/calls. The times are in `npm run bench -- worst-cases`.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningApp } from '#tests/support/running-app.ts';
import type { Cost } from '#tests/calls/facts.ts';
import { findAnswer, findCost } from '#tests/worst-cases/bounds.ts';
import type { SqlCounter } from '#tests/worst-cases/count-work.ts';
import {
  fullState,
  type OperationName,
  type Outcome,
  type Stage,
} from '#tests/worst-cases/stage.ts';
import { startStagedApp, type StagedApp } from '#tests/worst-cases/staged-app.ts';

/** The processor time is that of `npm run bench -- worst-cases`. */
const figures = [
  'statements',
  'rowsRead',
  'rowsWritten',
  'kilobytesWritten',
  'kilobytesSent',
  'frames',
  'mails',
  'files',
] as const satisfies (keyof Cost)[];
type Figures = Pick<Cost, (typeof figures)[number]>;

interface Measurement {
  answers: ReadonlySet<string>;
  worst: Figures;
}

const patienceMs = 300_000;
const tries = 6;
const emptyFigures = Object.fromEntries(figures.map((figure) => [figure, 0])) as unknown as Figures;
let staged: StagedApp;
let counter: SqlCounter;
let app: RunningApp;
let stage: Stage;

beforeAll(async () => {
  staged = await startStagedApp(fullState, { UNMASKING: 'on' });
  ({ app, counter, stage } = staged);
}, patienceMs);

afterAll(() => staged.stop());

const countFiles = () => readdirSync(join(app.database.settings.DATA_DIR, 'images')).length;

async function measure(act: () => Promise<Outcome>) {
  const countsBefore = counter.read();
  const filesBefore = countFiles();
  const { answer, bytesSent, frames } = await act();
  const now = counter.read();
  return {
    answer,
    statements: now.statements - countsBefore.statements,
    rowsRead: now.rowsRead - countsBefore.rowsRead,
    rowsWritten: now.rowsWritten - countsBefore.rowsWritten,
    kilobytesWritten: Math.ceil((now.bytesWritten - countsBefore.bytesWritten) / 1000),
    kilobytesSent: Math.ceil(bytesSent / 1000),
    frames,
    mails: now.mails - countsBefore.mails,
    files: countFiles() - filesBefore,
  };
}

/** Waits until the server does no work in the background. */
async function waitForQuiet(): Promise<void> {
  const isQuiet = async () => {
    const lastCounts = counter.read();
    await sleep(200);
    return isDeepStrictEqual(counter.read(), lastCounts);
  };
  await expect.poll(isQuiet).toBe(true);
}

/** The largest of each figure, over all worst inputs. */
async function measureAll(
  name: OperationName,
  beforeEach: () => Promise<void> = async () => {},
): Promise<Measurement> {
  const answers = new Set<string>();
  const worst = { ...emptyFigures };
  for (const act of await stage.prepare(name)) {
    await beforeEach();
    const { answer, ...work } = await measure(act);
    answers.add(answer);
    for (const figure of figures) worst[figure] = Math.max(worst[figure], work[figure]);
  }
  return { answers, worst };
}

function listExcesses(name: OperationName, bound: Cost, worst: Figures): string[] {
  return figures
    .filter((figure) => worst[figure] > bound[figure])
    .map(
      (figure) =>
        `${name}: ${worst[figure]} ${figure}, its entry in tests/calls allows ${bound[figure]}`,
    );
}

/** Measures again what exceeds its bound: work in the background is by chance a part of it. */
async function findExcesses(name: OperationName): Promise<string[]> {
  const bound = findCost(name);
  const { answers, worst } = await measureAll(name);
  // Otherwise, the figures are those of a rejection.
  if (!answers.has(findAnswer(name))) {
    return [`${name}: answered ${[...answers].join(', ')}, never ${findAnswer(name)}`];
  }
  for (let n = 1; n < tries && listExcesses(name, bound, worst).length > 0; n++) {
    const repeated = await measureAll(name, waitForQuiet);
    for (const figure of figures) worst[figure] = Math.min(worst[figure], repeated.worst[figure]);
  }
  return listExcesses(name, bound, worst);
}

test(
  'the most expensive inputs of each call and frame cost no more than its entry allows [LIMIT-56]',
  { timeout: patienceMs },
  async () => {
    const excesses: string[] = [];
    for (const name of stage.names) excesses.push(...(await findExcesses(name)));

    expect(excesses).toEqual([]);
  },
);
