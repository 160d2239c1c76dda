// The results of a run: a table for the terminal and a JSON file.
import { formatAlignedTable, writeReport } from '../report.ts';
import { computeMedian } from '../percentiles.ts';
import { allSystems, type Measurement, type SystemName, type Workload } from './scenario.ts';
import { scenarios, type ScenarioName } from './scenarios.ts';

export interface Result extends Measurement {
  scenario: ScenarioName;
  system: SystemName;
  round: number;
  workload: Workload;
}

/** Backchannel's figures are divided by those of this server. */
const reference = 'socketio-sqlite';

/** One row for each figure, with the medians of all rounds. */
export function formatResultTable(results: readonly Result[]): string {
  const systems = allSystems.filter((system) => results.some((result) => result.system === system));
  const head = ['scenario', 'figure', ...systems, `÷ ${reference}`, 'flags'];
  const rows = Object.entries(scenarios).flatMap(([scenario, { figures }]) => {
    const scenarioResults = results.filter((result) => result.scenario === scenario);
    return figures.flatMap(({ key, label, digits = 1 }: (typeof figures)[number]) => {
      const values = systems.map((system) => findMedian(scenarioResults, system, key));
      if (values.every((value) => value === null)) return [];
      const ratio = computeRatio(scenarioResults, key);
      const cells = values.map((value) => (value === null ? '' : value.toFixed(digits)));
      return [
        [
          scenario,
          label,
          ...cells,
          ratio?.toFixed(2) ?? '',
          key === figures[0]?.key ? formatFlags(scenarioResults) : '',
        ],
      ];
    });
  });
  return formatAlignedTable([head, ...rows]);
}

/** Divides the median of Backchannel by the one of the reference. Null if one of them has none. */
export function computeRatio(results: readonly Result[], key: string): number | null {
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

export interface SystemDescription {
  version: string;
  stores: string;
}

/** @returns the file's path */
export function writeResults(
  folder: string,
  startedAt: Date,
  systems: Readonly<Record<string, SystemDescription>>,
  results: readonly Result[],
): string {
  return writeReport(folder, 'chat', startedAt, { systems, results });
}
