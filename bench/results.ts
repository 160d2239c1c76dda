// The results of a run: a table for the terminal, a JSON file, and the record of ratios that `--check` compares with.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemNames, type Measurement, type SystemName, type Workload } from './scenario.ts';
import { scenarios, type ScenarioName } from './scenarios.ts';

export interface Result extends Measurement {
  scenario: ScenarioName;
  system: SystemName;
  round: number;
  workload: Workload;
}

/** Backchannel's figures are divided by those of this server. */
const reference = 'socketio-sqlite';
const recordFile = join(import.meta.dirname, 'results/ratios.json');
/** The medians of three rounds of an unchanged server stay within this factor. */
const tolerance = 1.25;

/** One row for each figure, with the medians of all rounds. */
export function formatTable(results: readonly Result[]): string {
  const systems = systemNames.filter((name) => results.some(({ system }) => system === name));
  const head = ['scenario', 'figure', ...systems, 'aim', `÷ ${reference}`, 'flags'];
  const rows = listFigures(results).map(({ scenario, figure, results: measured, isFirst }) => {
    const medians = systems.map((system) => findMedian(measured, system, figure.key));
    return [
      scenario,
      figure.label,
      ...medians.map((median) => median?.toFixed(figure.digits ?? 1) ?? ''),
      figure.aim === undefined ? '' : `< ${figure.aim}`,
      computeRatio(measured, figure.key)?.toFixed(2) ?? '',
      isFirst ? formatFlags(measured) : '',
    ];
  });
  return alignColumns([head, ...rows]);
}

/** @returns the file's path */
export function writeReport(
  folder: string,
  machine: string,
  startedAt: Date,
  results: readonly Result[],
): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${startedAt.toISOString().slice(0, 19).replaceAll(':', '')}.json`);
  const roundNumber = (_key: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(5)) : value;
  writeFileSync(file, `${JSON.stringify({ startedAt, machine, results }, roundNumber, 1)}\n`);
  return file;
}

interface RatioRecord {
  date: string;
  machine: string;
  /** The ratio of each figure, by scenario and label. Ratios of one run are comparable between machines, unlike figures. */
  ratios: Record<string, Record<string, number>>;
}

export function writeRecord(results: readonly Result[], machine: string, startedAt: Date): void {
  const { ratios } = loadRecord();
  for (const { scenario, label, ratio } of listRatios(results)) {
    ratios[scenario] = { ...ratios[scenario], [label]: ratio };
  }
  const record: RatioRecord = { date: startedAt.toISOString().slice(0, 10), machine, ratios };
  writeFileSync(recordFile, `${JSON.stringify(record, null, 2)}\n`);
}

/** Lists the figures that are worse than the record, each with both ratios. */
export function listRegressions(results: readonly Result[]): string[] {
  const { date, ratios } = loadRecord();
  return listRatios(results).flatMap(({ scenario, label, ratio }) => {
    const recordedRatio = ratios[scenario]?.[label];
    if (recordedRatio === undefined) return [];
    const isMoreBetter = label.includes('per second');
    const growth = isMoreBetter ? recordedRatio / ratio : ratio / recordedRatio;
    return growth > tolerance
      ? [`${scenario}, ${label}: ${ratio}, was ${recordedRatio} on ${date}`]
      : [];
  });
}

export function computeMedian(values: readonly number[]): number {
  const sortedValues = values.toSorted((a, b) => a - b);
  const middle = sortedValues.length / 2;
  return ((sortedValues[Math.floor(middle)] ?? 0) + (sortedValues[Math.ceil(middle) - 1] ?? 0)) / 2;
}

function loadRecord(): RatioRecord {
  return JSON.parse(readFileSync(recordFile, 'utf8')) as RatioRecord;
}

/** Lists the figures of the scenarios that have results, each with the results of its scenario. */
function listFigures(results: readonly Result[]) {
  return Object.entries(scenarios).flatMap(([scenario, { figures }]) => {
    const ofScenario = results.filter((result) => result.scenario === scenario);
    const measured = figures.filter(({ key }) =>
      ofScenario.some((result) => key in result.figures),
    );
    return measured.map((figure, n) => ({
      scenario,
      figure,
      results: ofScenario,
      isFirst: n === 0,
    }));
  });
}

function listRatios(results: readonly Result[]) {
  return listFigures(results).flatMap(({ scenario, figure: { key, label }, results: measured }) => {
    const ratio = computeRatio(measured, key);
    return ratio === null ? [] : [{ scenario, label, ratio: Number(ratio.toFixed(2)) }];
  });
}

/** Divides the median of Backchannel by the one of the reference. Null if one of them has none. */
function computeRatio(results: readonly Result[], key: string): number | null {
  const ours = findMedian(results, 'backchannel', key);
  const theirs = findMedian(results, reference, key);
  return ours !== null && theirs ? ours / theirs : null;
}

function findMedian(results: readonly Result[], system: SystemName, key: string): number | null {
  const values = results
    .filter((result) => result.system === system)
    .flatMap(({ figures }) => figures[key] ?? []);
  return values.length > 0 ? computeMedian(values) : null;
}

function formatFlags(results: readonly Result[]): string {
  const flagged = results.filter(({ flags }) => flags.length > 0);
  const texts = flagged.map(({ system, flags }) => `${system}: ${flags.join(', ')}`);
  return [...new Set(texts)].join('; ');
}

/** Aligns the numbers of all columns except the first two and the last one, which are text. */
function alignColumns([head = [], ...rows]: readonly string[][]): string {
  const widths = head.map((_, n) => Math.max(...[head, ...rows].map((row) => row[n]!.length)));
  const isText = (n: number) => n < 2 || n === head.length - 1;
  const formatLine = (cells: readonly string[]) => {
    const padded = cells.map((cell, n) =>
      isText(n) ? cell.padEnd(widths[n]!) : cell.padStart(widths[n]!),
    );
    return `| ${padded.join(' | ')} |`;
  };
  const dashes = widths.map((width, n) =>
    isText(n) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [head, dashes, ...rows].map(formatLine).join('\n');
}
