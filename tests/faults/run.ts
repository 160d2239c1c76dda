/**
 * `npm run test:faults -- --seed N --minutes M [--nodes N] [--fault NAME]... [--each] [--full]`: plays rounds of a real server,
 * or of several nodes on PostgreSQL and Redis, with one fault each until the time is over, at least one round.
 * For a failed round it prints the command that repeats it.
 */
import { parseArgs } from 'node:util';
import { findPrograms } from '../../scripts/programs.ts';
import { startPostgres } from '../../scripts/start-postgres.ts';
import { startRedis } from '../../scripts/start-redis.ts';
import { allFaults } from './faults/all-faults.ts';
import { nodeFaults } from './nodes/node-faults.ts';
import { createNodesRounds } from './nodes/play-nodes-round.ts';
import { toOutcome } from './outcome.ts';
import { playRound, type RoundResult } from './play-round.ts';
import type { Fault } from './stage.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '2' },
    /** 0: one server on SQLite. */
    nodes: { type: 'string', default: '0' },
    /** Several may be named. */
    fault: { type: 'string', multiple: true },
    /** Plays each fault at least once, however long that takes. */
    each: { type: 'boolean', default: false },
    /** The durations and counts of manual runs: a pause of one minute, 2,000 clients. */
    full: { type: 'boolean', default: false },
  },
});
const firstSeed = Number(values.seed);
const deadline = performance.now() + Number(values.minutes) * 60_000;
const nodeCount = Number(values.nodes);
const knownFaults: readonly Pick<Fault, 'name' | 'missing' | 'planted'>[] =
  nodeCount > 0 ? nodeFaults : allFaults;
const wantedFaults = knownFaults.filter(({ name }) => !values.fault || values.fault.includes(name));
const numbers = [firstSeed, nodeCount];
if (wantedFaults.length === 0 || !numbers.every(Number.isSafeInteger) || Number.isNaN(deadline)) {
  const names = knownFaults.map((fault) => fault.name).join(', ');
  console.error(
    `Usage: --seed N --minutes M [--nodes 2] [--fault NAME]... [--full]. Faults: ${names}.`,
  );
  process.exit(1);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const play = nodeCount > 0 ? await preparePlayOnNodes() : playOnServer;

const faults = wantedFaults.filter((fault) => {
  const missing = fault.missing?.();
  if (missing) console.log(`${fault.name} is left out: ${missing}`);
  return !missing;
});
const counts = { passed: 0, failed: 0 };
for (let round = 0; faults.length > 0; round++) {
  if (round >= (values.each ? faults.length : 1) && performance.now() > deadline) break;
  const fault = faults[round % faults.length]!;
  const seed = firstSeed + round;
  const began = performance.now();
  const result = await play(fault.name, seed);
  const problems = judge(fault, result);
  counts[problems.length === 0 ? 'passed' : 'failed'] += 1;
  console.log(describeRound(fault, seed, performance.now() - began, result, problems.length === 0));
  for (const line of pickFirstOfEachRule(problems)) console.log(`    ${line}`);
  if (problems.length > 0) {
    const nodesOption = nodeCount > 0 ? ` --nodes ${nodeCount}` : '';
    const options = `--seed ${seed} --minutes 0${nodesOption} --fault ${fault.name}`;
    console.log(`    again: node tests/faults/run.ts ${options}${values.full ? ' --full' : ''}`);
  }
}
const leftOut = wantedFaults.length - faults.length;
console.log(`${counts.passed} passed, ${counts.failed} failed, ${leftOut} skipped`);
process.exit(counts.failed > 0 ? 1 : 0);

function playOnServer(name: string, seed: number): Promise<RoundResult> {
  return playRound(
    allFaults.find((fault) => fault.name === name)!,
    seed,
    values.full,
  );
}

async function preparePlayOnNodes(): Promise<typeof playOnServer> {
  const engines = findPrograms(['PostgreSQL', 'Redis']);
  if ('missing' in engines) {
    console.log(engines.missing);
    console.log(`0 passed, 0 failed, ${wantedFaults.length} skipped`);
    process.exit(0);
  }
  const { PostgreSQL, Redis } = engines.found;
  const rounds = createNodesRounds({
    postgres: await startPostgres(PostgreSQL),
    redis: await startRedis(Redis),
    count: nodeCount,
    full: values.full,
  });
  return (name, seed) =>
    rounds.play(
      nodeFaults.find((fault) => fault.name === name)!,
      seed,
    );
}

/** One line per failure of the round. */
function judge({ planted }: Pick<Fault, 'planted'>, { violations }: RoundResult): string[] {
  if (!planted) return violations.map(({ rule, detail }) => `${rule}: ${detail}`);
  if (violations.some(({ rule }) => rule === planted)) return [];
  return [`the planted fault was not found: nothing breaks "${planted}"`];
}

/** Three of each kind: one cause may break the same promise for every client. */
function pickFirstOfEachRule(problems: string[]): string[] {
  return [...Map.groupBy(problems, (line) => line.split(':')[0]!).values()].flatMap((lines) => [
    ...lines.slice(0, 3),
    ...(lines.length > 3 ? [`... and ${lines.length - 3} more`] : []),
  ]);
}

function describeRound(
  { name, planted }: Pick<Fault, 'name' | 'planted'>,
  seed: number,
  milliseconds: number,
  { history }: RoundResult,
  passed: boolean,
): string {
  const outcomes = history.operations.map(toOutcome);
  const countOutcomes = (wantedOutcome: string) =>
    outcomes.filter((outcome) => outcome === wantedOutcome).length;
  const unknownCount = history.operations.filter(({ answers }) =>
    answers.some((answer) => answer.kind === 'unknown'),
  ).length;
  const postponed = history.operations.filter(({ answers }) =>
    answers.some((answer) => answer.kind === 'later'),
  ).length;
  const slowest = Math.max(0, ...history.lists.map((list) => list.equalAfterMs ?? Infinity));
  const { bytesBefore = 0, peak = 0 } = history.memory ?? {};
  const mebibytes = Math.round((peak - bytesBefore) / 2 ** 20);
  return [
    `${passed ? 'ok  ' : 'FAIL'} ${planted ? 'planted ' : ''}${name}`.padEnd(34),
    `seed ${seed}`,
    `${(milliseconds / 1000).toFixed(1)} s`,
    `${outcomes.length} operations (${countOutcomes('acknowledged')} acknowledged, ${countOutcomes('rejected')} rejected, ${countOutcomes('unknown')} unknown; ${unknownCount} sent again, ${postponed} deferred)`,
    `${history.lists.length} lists, equal after ${slowest} ms`,
    `memory +${mebibytes} MiB`,
  ].join(' · ');
}
