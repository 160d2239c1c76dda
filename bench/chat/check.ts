// `npm run bench -- --check` compares the ratios to socketio-sqlite with those of the record, which `--record` writes. Ratios
// of one run are comparable between machines; the figures themselves are not.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { computeRatio, type Result } from './results.ts';
import { scenarios } from './scenarios.ts';

const recordFile = join(import.meta.dirname, '../results/ratios.json');
/** The medians of three rounds of an unchanged server stay within this factor. */
const tolerance = 1.25;

/** The ratio of each figure, by scenario and label. */
type Ratios = Record<string, Record<string, number>>;

interface RatioRecord {
  date: string;
  machine: string;
  ratios: Ratios;
}

export function writeRecord(results: readonly Result[], machine: string, startedAt: Date): void {
  const previousRatios = loadRecord()?.ratios ?? {};
  const record: RatioRecord = {
    date: startedAt.toISOString().slice(0, 10),
    machine,
    ratios: { ...previousRatios, ...computeRatios(results) },
  };
  writeFileSync(recordFile, `${JSON.stringify(record, null, 2)}\n`);
}

/** Lists the figures that are worse than the record, each with both ratios. */
export function listRegressions(results: readonly Result[]): string[] {
  const record = loadRecord();
  if (!record) throw new Error('There is no record yet. Write one with --record.');
  const lines: string[] = [];
  for (const [scenario, ratios] of Object.entries(computeRatios(results))) {
    for (const [label, ratio] of Object.entries(ratios)) {
      const recordedRatio = record.ratios[scenario]?.[label];
      if (recordedRatio === undefined) continue;
      const growth = isMoreBetter(label) ? recordedRatio / ratio : ratio / recordedRatio;
      if (growth > tolerance) {
        lines.push(`${scenario}, ${label}: ${ratio}, was ${recordedRatio} on ${record.date}`);
      }
    }
  }
  return lines;
}

function loadRecord(): RatioRecord | null {
  if (!existsSync(recordFile)) return null;
  return JSON.parse(readFileSync(recordFile, 'utf8')) as RatioRecord;
}

function computeRatios(results: readonly Result[]): Ratios {
  const ratios: Ratios = {};
  for (const [scenario, { figures }] of Object.entries(scenarios)) {
    const scenarioResults = results.filter((result) => result.scenario === scenario);
    for (const { key, label } of figures) {
      const ratio = computeRatio(scenarioResults, key);
      if (ratio !== null) (ratios[scenario] ??= {})[label] = Number(ratio.toFixed(2));
    }
  }
  return ratios;
}

function isMoreBetter(label: string): boolean {
  return label.includes('per second');
}
