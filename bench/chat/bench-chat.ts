// `npm run bench` compares Backchannel with other chat servers, and measures what real rooms cost.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { describeMachine } from '../report.ts';
import { listRegressions, writeRecord } from './check.ts';
import type { MeasureRequest } from './measure.ts';
import { installPeers } from './peers.ts';
import { formatResultTable, writeResults, type Result, type SystemDescription } from './results.ts';
import {
  allSystems,
  type Measurement,
  type Scenario,
  type SystemName,
  type Workload,
} from './scenario.ts';
import { scenarios, type ScenarioName } from './scenarios.ts';

const workloadOptions = ['clients', 'rooms', 'rate', 'seconds', 'messages'] as const;

export async function benchChat(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      scenario: { type: 'string', default: Object.keys(scenarios).join(',') },
      systems: { type: 'string', default: allSystems.join(',') },
      rounds: { type: 'string', default: '1' },
      results: { type: 'string', default: resolve(import.meta.dirname, '../results') },
      profile: { type: 'string' },
      check: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      clients: { type: 'string' },
      rooms: { type: 'string' },
      rate: { type: 'string' },
      seconds: { type: 'string' },
      messages: { type: 'string' },
    },
  });
  const chosenScenarios = pick(values.scenario, Object.keys(scenarios) as ScenarioName[]);
  const systems = pick(values.systems, allSystems);
  if (systems.some((system) => system !== 'backchannel')) installPeers();

  const startedAt = new Date();
  console.error(describeMachine());
  const results: Result[] = [];
  const descriptions: Record<string, SystemDescription> = {};
  // The servers take turns, so that a change of the machine's speed affects all of them.
  for (let round = 1; round <= Number(values.rounds); round++) {
    for (const scenario of chosenScenarios) {
      const workload = changeWorkload(scenarios[scenario].workload, values);
      for (const system of systems) {
        if (!isFor(scenarios[scenario], system)) continue;
        const began = performance.now();
        const profileDir =
          values.profile && system === 'backchannel' ? join(values.profile, scenario) : null;
        const measured = await measure({ scenario, system, workload, profileDir });
        const seconds = Math.round((performance.now() - began) / 1000);
        console.error(`${scenario}, ${system}, round ${round}: ${seconds} s`);
        if (!measured) continue;
        const { version, stores, figures, flags } = measured;
        descriptions[system] = { version, stores };
        results.push({ scenario, system, round, workload, figures, flags });
      }
    }
  }
  if (results.length === 0) throw new Error('Nothing was measured.');
  console.log(`\n${formatResultTable(results)}\n`);
  for (const [system, { version, stores }] of Object.entries(descriptions)) {
    console.log(`${system}: ${version}; stores ${stores}`);
  }
  console.log(`\nWritten to ${writeResults(values.results, startedAt, descriptions, results)}`);
  if (values.record) writeRecord(results, describeMachine(), startedAt);
  if (!values.check) return;
  const regressions = listRegressions(results);
  console.log(regressions.length > 0 ? `\nWorse than the record:` : '\nNo worse than the record.');
  for (const line of regressions) console.log(`  ${line}`);
  if (regressions.length > 0) process.exitCode = 1;
}

function pick<Name extends string>(list: string, all: readonly Name[]): Name[] {
  const names = list.split(',');
  const unknownNames = names.filter((name) => !all.some((knownName) => knownName === name));
  if (unknownNames.length > 0) {
    throw new Error(`No such name: ${unknownNames.join()}. Use ${all.join()}.`);
  }
  return all.filter((name) => names.includes(name));
}

function isFor({ systems }: Scenario, system: SystemName): boolean {
  return systems.includes(system);
}

/** An option changes only the scenarios that use its value. Scenarios of one room stay that way. */
function changeWorkload(
  workload: Workload,
  values: Partial<Record<keyof Workload, string>>,
): Workload {
  const changedWorkload = { ...workload };
  for (const key of workloadOptions) {
    const isUsed = workload[key] > (key === 'rooms' ? 1 : 0);
    if (isUsed && values[key] !== undefined) changedWorkload[key] = Number(values[key]);
  }
  return changedWorkload;
}

/** @returns null if it failed; the error is shown */
async function measure(request: MeasureRequest): Promise<(Measurement & SystemDescription) | null> {
  if (request.profileDir) mkdirSync(request.profileDir, { recursive: true });
  const file = join(import.meta.dirname, 'measure.ts');
  const child = spawn(process.execPath, [file, JSON.stringify(request)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = await text(child.stdout);
  return output ? (JSON.parse(output) as Measurement & SystemDescription) : null;
}
