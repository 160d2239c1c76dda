// `npm run bench -- worst-cases` makes each call and sends each frame with its most expensive inputs, in the most
// expensive state that one student can prepare: first eight at a time, then those of a student as often as the limits
// allow. It prints what they cost the server and what another member waits for a message meanwhile, and ends with 1 if
// one exceeds its bound. With `--postgres`, the server uses PostgreSQL.
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { unlimitedRates } from '#server/config/rate-settings.ts';
import { startOidcServer } from '#tests/support/oidc-server.ts';
import { createTestDatabase } from '#tests/support/test-database.ts';
import {
  findCost,
  findRateOfAct,
  longestTurnMs,
  longestWaitAtFullRateMs,
  type RateOfAct,
} from '#tests/worst-cases/bounds.ts';
import {
  fullState,
  members,
  prepareStage,
  type OperationName,
  type Stage,
} from '#tests/worst-cases/stage.ts';
import { findFreePort } from '../scripts/find-free-port.ts';
import { findPostgres, startPostgres } from '../scripts/start-postgres.ts';
import { Histogram } from './histogram.ts';
import { createSchool } from './school.ts';
import { startBackchannel, type ServerProcess } from './server-process.ts';
import { measureCpuMicroseconds } from './usage.ts';

/** The number of frames and calls that a burst has in flight. */
const actsAtOnce = 8;
const actsAtOnceAtFullRate = 32;
const fullRateMs = 5000;
const idlePosts = 40;

interface Cost {
  name: string;
  acts: number;
  cpuMsPerAct: number;
  longestDelayMs: number;
  /** The longest time that the server's thread worked between two turns of its event loop. */
  longestCpuMs: number;
  longestWaitMs: number;
}

export async function benchWorstCases(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { only: { type: 'string' }, postgres: { type: 'boolean', default: false } },
  });
  const isWanted = (name: string) => values.only?.split(',').includes(name) ?? true;
  const postgres = values.postgres ? await startPostgres(findPostgres() ?? '') : null;
  const database = await createTestDatabase(postgres?.url);
  const { DATA_DIR: dataDir } = database.settings;
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const school = await createSchool(dataDir, members, 1, {
    messagesPerClass: 48,
    isMember: () => true,
    settings: database.settings,
  });
  const port = await findFreePort();
  const provider = await startOidcServer(`http://localhost:${port}`);
  const settings = {
    ...unlimitedRates,
    ...database.settings,
    ...provider.settings,
    UNMASKING: 'on',
    KEEP_FREE_GB: '0',
  };
  const server = await startBackchannel(settings, { port, isMonitored: true });
  const stage = await prepareStage({
    ...fullState,
    origin: server.origin,
    cookies: school.cookies,
    database,
    provider,
    classId: school.classIds[0] ?? '',
  });

  const idle = await measure(
    server,
    stage,
    'idle',
    Array.from({ length: idlePosts }, () => async () => {}),
  );
  console.log(
    '| Call or frame | Acts | CPU ms per act | Most CPU ms of one turn | Longest event-loop delay, ms | Longest wait of another member, ms | |',
  );
  console.log('|---|---|---|---|---|---|---|');
  print(idle, '');
  let isExceeded = false;
  // The calls that end the state are last.
  const repeatable = stage.names.filter((name) => isWanted(name) && stage.isRepeatable(name));
  const ending = stage.names.filter((name) => isWanted(name) && !stage.isRepeatable(name));
  const measureEach = async (names: readonly OperationName[]) => {
    for (const name of names) {
      const cost = await measure(server, stage, name, await stage.prepare(name));
      const { cpuMs } = findCost(name);
      const isAbove = cost.cpuMsPerAct > cpuMs || cost.longestCpuMs > longestTurnMs;
      print(cost, isAbove ? `above ${cpuMs} ms, or ${longestTurnMs} ms in one turn` : '');
      isExceeded ||= isAbove;
    }
  };
  await measureEach(repeatable);
  isExceeded = (await measureAtFullRate(stage, repeatable)) || isExceeded;
  await measureEach(ending);
  stage.close();
  await server.stop();
  await provider.stop();
  postgres?.stop();
  process.exit(isExceeded ? 1 : 0);
}

/** @returns whether another member waited too long for a post */
async function measureAtFullRate(stage: Stage, names: readonly OperationName[]): Promise<boolean> {
  console.log(
    '\n| At the highest rate | Acts a second | Another member waits, ms: p50 | p99 | longest | |',
  );
  console.log('|---|---|---|---|---|---|');
  let isExceeded = false;
  for (const name of names) {
    const { acts, waits } = await runAtFullRate(stage, name);
    const p99 = waits.computePercentile(0.99);
    const isAbove = p99 > longestWaitAtFullRateMs;
    isExceeded ||= isAbove;
    const figures = [(acts * 1000) / fullRateMs, waits.computePercentile(0.5), p99, waits.max].map(
      (figure) => figure.toFixed(1),
    );
    console.log(`| ${[name, ...figures, isAbove ? 'too long' : ''].join(' | ')} |`);
  }
  console.log('');
  return isExceeded;
}

async function runAtFullRate(stage: Stage, name: OperationName) {
  const rate = findRateOfAct(name);
  const startedAt = performance.now();
  const getElapsedMs = () => performance.now() - startedAt;
  const pendingActions = new Set<Promise<unknown>>();
  const waits = new Histogram();
  let acts = 0;
  const otherPosts = (async () => {
    while (getElapsedMs() < fullRateMs) {
      const sentAt = performance.now();
      await stage.postAsOther();
      waits.add(performance.now() - sentAt);
    }
  })();
  let prepared = await stage.prepareTogether(name);
  while (getElapsedMs() < fullRateMs) {
    if (acts >= countAllowed(rate, getElapsedMs()) || pendingActions.size >= actsAtOnceAtFullRate) {
      await Promise.race([...pendingActions, sleep(5)]);
      continue;
    }
    if (prepared.length === 0) prepared = await stage.prepareTogether(name);
    const act = prepared.shift();
    if (!act) throw new Error(`${name} has no act.`);
    const acting: Promise<unknown> = act()
      .catch(() => {})
      .finally(() => pendingActions.delete(acting));
    pendingActions.add(acting);
    acts += 1;
  }
  await Promise.all(pendingActions);
  await otherPosts;
  return { acts, waits };
}

function countAllowed({ burst, perSecond }: RateOfAct, elapsedMs: number): number {
  return burst + (perSecond * elapsedMs) / 1000;
}

function print(cost: Cost, note: string): void {
  const { name, acts, cpuMsPerAct, longestCpuMs, longestDelayMs, longestWaitMs } = cost;
  const figures = [cpuMsPerAct, longestCpuMs, longestDelayMs, longestWaitMs].map((ms) =>
    ms.toFixed(1),
  );
  console.log(`| ${[name, acts, ...figures, note].join(' | ')} |`);
}

async function measure(
  server: ServerProcess,
  stage: Stage,
  name: string,
  acts: readonly (() => Promise<unknown>)[],
): Promise<Cost> {
  let isRunning = true;
  const waits = new Histogram();
  const pid = server.pids[0]!;
  const cpuBefore = measureCpuMicroseconds(pid);
  server.resetDelays();
  const otherPosts = (async () => {
    while (isRunning) {
      const startedAt = performance.now();
      await stage.postAsOther();
      waits.add(performance.now() - startedAt);
    }
  })();
  for (let n = 0; n < acts.length; n += actsAtOnce) {
    await Promise.allSettled(acts.slice(n, n + actsAtOnce).map((act) => act()));
  }
  isRunning = false;
  await otherPosts;
  const { longestMs, longestCpuMs } = await server.measureDelays();
  const cpuMs = (measureCpuMicroseconds(pid) - cpuBefore) / 1000;
  return {
    name,
    acts: acts.length,
    // The posts of the other member are a part of it.
    cpuMsPerAct: cpuMs / Math.max(1, acts.length),
    longestDelayMs: longestMs,
    longestCpuMs,
    longestWaitMs: waits.max,
  };
}
