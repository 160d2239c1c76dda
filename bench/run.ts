// `npm run bench` puts the same load on Backchannel and on other chat servers. README.md in this folder has the options.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatTable, listRegressions, writeRecord, writeReport, type Result } from './results.ts';
import { systemNames, type Measurement, type SystemName, type Workload } from './scenario.ts';
import { scenarios, usualScenarios, type ScenarioName } from './scenarios.ts';

const usualSystems: readonly SystemName[] = ['backchannel', 'socketio-sqlite', 'ws-bare'];
const peersFolder = join(import.meta.dirname, 'peers');
const workloadOptions = ['clients', 'rooms', 'rate', 'seconds', 'messages'] as const;

if (process.argv[2] === 'worst-cases') {
  const { benchWorstCases } = await import('./worst-cases.ts');
  await benchWorstCases(process.argv.slice(3));
}

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: usualScenarios.join() },
    systems: { type: 'string', default: usualSystems.join() },
    rounds: { type: 'string', default: '1' },
    results: { type: 'string', default: join(import.meta.dirname, 'results') },
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
const chosenSystems = pick(values.systems, systemNames);
const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.versions.node}`;
console.error(machine);
if (chosenSystems.includes('socketio-sqlite') || chosenSystems.includes('ws-bare')) installPeers();

const startedAt = new Date();
const results: Result[] = [];
// The servers take turns, so that a change of the machine's speed affects all of them.
for (let round = 1; round <= Number(values.rounds); round++) {
  for (const scenario of chosenScenarios) {
    const workload = changeWorkload(scenarios[scenario].workload);
    const systems = scenarios[scenario].systems.filter((name) => chosenSystems.includes(name));
    for (const system of systems) {
      const measurement = await measure(scenario, system, workload);
      console.error(`${scenario}, ${system}, round ${round}${measurement ? '' : ' failed'}`);
      if (measurement) results.push({ scenario, system, round, workload, ...measurement });
    }
  }
}
if (results.length === 0) throw new Error('Nothing was measured.');
console.log(`\n${formatTable(results)}\n`);
console.log(`Written to ${writeReport(values.results, machine, startedAt, results)}`);
if (values.record) writeRecord(results, machine, startedAt);
if (values.check) {
  const regressions = listRegressions(results);
  console.log(regressions.length > 0 ? '\nWorse than the record:' : '\nNo worse than the record.');
  for (const line of regressions) console.log(`  ${line}`);
  if (regressions.length > 0) process.exitCode = 1;
}

function pick<Name extends string>(list: string, all: readonly Name[]): Name[] {
  const names = list.split(',');
  const unknownNames = names.filter((name) => !all.some((knownName) => knownName === name));
  if (unknownNames.length > 0) {
    console.error(`No such name: ${unknownNames.join()}. There are ${all.join()}.`);
    process.exit(1);
  }
  return all.filter((name) => names.includes(name));
}

/** An option changes only the scenarios that use its value. Scenarios of one room stay that way. */
function changeWorkload(workload: Workload): Workload {
  const changedWorkload = { ...workload };
  for (const key of workloadOptions) {
    const isUsed = workload[key] > (key === 'rooms' ? 1 : 0);
    if (isUsed && values[key] !== undefined) changedWorkload[key] = Number(values[key]);
  }
  return changedWorkload;
}

/** Installs the packages of the other servers on first use, in a folder of their own: the app never depends on them. */
function installPeers(): void {
  if (existsSync(join(peersFolder, 'node_modules'))) return;
  console.error('Installing the packages of bench/peers …');
  const { status } = spawnSync('npm', ['ci'], { cwd: peersFolder, stdio: 'inherit' });
  if (status === 0) return;
  console.error('npm ci failed in bench/peers. To measure without peers: --systems backchannel');
  process.exit(1);
}

/** @returns null if it failed; the error is shown */
async function measure(scenario: ScenarioName, system: SystemName, workload: Workload) {
  const file = join(import.meta.dirname, 'measure.ts');
  const child = fork(file, [scenario, system, JSON.stringify(workload)]);
  let measurement: Measurement | null = null;
  child.on('message', (message) => (measurement = message as Measurement));
  await once(child, 'exit');
  return measurement as Measurement | null;
}
