// `npm run bench:web` measures what a student waits for, in Chromium against the server of `npm start`.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureWebBuilt } from '#server/features/web-app/web-build.ts';
import { computeMedian } from '../percentiles.ts';
import { measureCpuMicroseconds, measureMachineMicroseconds } from '../processes.ts';
import { formatAlignedTable, describeMachine, writeReport } from '../report.ts';
import { launchChromium } from './chromium.ts';
import type { Figure, Measurement, Scenario } from './scenario.ts';
import { arrival } from './scenarios/arrival.ts';
import { heavy } from './scenarios/heavy.ts';
import { markup } from './scenarios/markup.ts';
import { scroll } from './scenarios/scroll.ts';
import { switching } from './scenarios/switching.ts';
import { typing } from './scenarios/typing.ts';
import { visit } from './scenarios/visit.ts';
import { startSite, type Site } from './site.ts';

/** The scenarios, in the order of the run. */
const scenarios: Readonly<Record<string, Scenario>> = {
  visit,
  typing,
  arrival,
  scroll,
  switching,
  markup,
  heavy,
};
/** A run is disturbed if other programs use more of a core than this. */
const maxOtherCores = 0.3;

interface Result extends Measurement {
  scenario: string;
  round: number;
}

const { values: options } = parseArgs({
  options: {
    scenario: { type: 'string', default: Object.keys(scenarios).join(',') },
    rounds: { type: 'string', default: '5' },
    results: { type: 'string', default: resolve(import.meta.dirname, '../results') },
    trace: { type: 'string' },
  },
});
const chosenNames = options.scenario.split(',');
const unknownNames = chosenNames.filter((name) => !Object.hasOwn(scenarios, name));
if (unknownNames.length > 0) {
  console.error(
    `No such scenario: ${unknownNames.join()}. There are ${Object.keys(scenarios).join()}.`,
  );
  process.exit(1);
}

const startedAt = new Date();
console.error(describeMachine());
await ensureWebBuilt(() => console.error('Building the web app …'));
const results: Result[] = [];
let chromiumVersion = '';
for (let round = 1; round <= Number(options.rounds); round++) {
  for (const scenario of chosenNames) {
    const began = performance.now();
    try {
      results.push({ scenario, round, ...(await run(scenarios[scenario]!, scenario)) });
    } catch (error) {
      console.error(`${scenario}, round ${round} failed:`, error);
    }
    const seconds = Math.round((performance.now() - began) / 1000);
    console.error(`${scenario}, round ${round}: ${seconds} s`);
  }
}
if (results.length === 0) throw new Error('Nothing was measured.');
console.log(`\n${formatResultTable()}\n`);
console.log(`Chromium ${chromiumVersion}`);
const content = { chromium: chromiumVersion, listAims: listAims(), results };
console.log(`Written to ${writeReport(options.results, 'web', startedAt, content)}`);

/** Each run has a new browser and a new server. */
async function run(scenario: Scenario, name: string): Promise<Measurement> {
  const browser = await launchChromium();
  chromiumVersion = browser.version();
  const sites: Site[] = [];
  if (options.trace) {
    mkdirSync(options.trace, { recursive: true });
    await browser.startTracing(undefined, { path: join(options.trace, `${name}.json`) });
  }
  const timesBefore = measureCpuTimes();
  try {
    const { figures, flags } = await scenario.measure({
      browser,
      async startSite(siteOptions) {
        const site = await startSite(siteOptions);
        sites.push(site);
        return site;
      },
    });
    const disturbed =
      computeOtherCores(timesBefore, measureCpuTimes()) > maxOtherCores ? ['disturbed'] : [];
    return { figures, flags: [...flags, ...disturbed] };
  } finally {
    if (options.trace) await browser.stopTracing();
    await browser.close();
    for (const site of sites) await site.stop();
  }
}

/** All values are in microseconds of CPU time, except `measuredAt`. */
type CpuTimes = ReturnType<typeof measureCpuTimes>;

function measureCpuTimes() {
  const { busy, stolen } = measureMachineMicroseconds();
  return {
    measuredAt: performance.now(),
    busy: busy + stolen,
    own: measureCpuMicroseconds(process.pid),
  };
}

/** Cores that programs other than the benchmark, its servers and its browser have used. */
function computeOtherCores(timesBefore: CpuTimes, timesAfter: CpuTimes): number {
  return (
    (timesAfter.busy - timesBefore.busy - (timesAfter.own - timesBefore.own)) /
    ((timesAfter.measuredAt - timesBefore.measuredAt) * 1000)
  );
}

function formatResultTable(): string {
  const head = ['scenario', 'figure', 'median', 'aim', 'min', 'max', 'flags'];
  const rows = chosenNames.flatMap((scenario) => {
    const scenarioResults = results.filter((result) => result.scenario === scenario);
    const flags = [...new Set(scenarioResults.flatMap((result) => result.flags))].join(', ');
    const { figures } = scenarios[scenario]!;
    return figures.flatMap((figure, n) => {
      const values = scenarioResults.flatMap((result) => result.figures[figure.key] ?? []);
      return values.length > 0
        ? [[scenario, ...toCells(figure, values), n === 0 ? flags : '']]
        : [];
    });
  });
  return formatAlignedTable([head, ...rows]);
}

function toCells({ label, aim, digits = 1 }: Figure, values: readonly number[]): string[] {
  const middle = computeMedian(values);
  const verdict = aim === undefined ? '' : `${middle < aim ? '' : 'MISSED '}< ${aim}`;
  const range = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits));
  return [label, middle.toFixed(digits), verdict, ...range];
}

function listAims(): Record<string, Record<string, number>> {
  return Object.fromEntries(
    Object.entries(scenarios).map(([name, { figures }]) => [
      name,
      Object.fromEntries(
        figures.flatMap(({ key, aim }) => (aim === undefined ? [] : [[key, aim]])),
      ),
    ]),
  );
}
