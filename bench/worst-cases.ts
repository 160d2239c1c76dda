// `npm run bench -- worst-cases` makes each call and sends each frame with its most expensive inputs, in the most
// expensive state that one student can prepare. It prints what they cost the server and what another member waits for
// a message meanwhile, and ends with 1 if one exceeds its bound.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import SQLite from 'better-sqlite3';
import { unlimitedRates } from '#server/limits/read-rates.ts';
import { fullState, prepareStage, type Stage } from '#tests/worst-cases/stage.ts';
import { findTimeBound } from '#tests/worst-cases/time-bounds.ts';
import { cpuMicroseconds } from './processes.ts';
import { createSchool } from './school.ts';
import { startBackchannel, type ServerProcess } from './server-process.ts';

/** As many as a burst of frames and calls has in flight. */
const actsAtOnce = 8;
const idlePosts = 40;
const eventLoopMonitor = join(import.meta.dirname, 'chat', 'event-loop-monitor.ts');

interface Report {
  longestMs: number;
  longestCpuMs: number;
}

interface Cost {
  name: string;
  acts: number;
  cpuMsPerAct: number;
  longestDelayMs: number;
  /** Of the server's thread, between two turns of its event loop. */
  longestCpuMs: number;
  longestWaitMs: number;
}

export async function benchWorstCases(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { only: { type: 'string' } } });
  const dataDir = mkdtempSync(join(tmpdir(), 'backchannel-bench-'));
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const school = await createSchool(dataDir, 24, 1, { messagesPerClass: 48, isInEveryClass: true });
  const server = await startBackchannel({
    dataDir,
    settings: { ...unlimitedRates, UNMASKING: 'on', KEEP_FREE_GB: '0' },
    nodeOptions: ['--import', eventLoopMonitor],
    withChannel: true,
  });
  const stage = await prepareStage({
    ...fullState,
    origin: server.origin,
    cookies: school.cookies,
    classId: school.classIds[0] ?? '',
    query: (sql) => querySqlite(dataDir, sql),
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
  for (const name of stage.names) {
    if (values.only !== undefined && !values.only.split(',').includes(name)) continue;
    const cost = await measure(server, stage, name, stage.prepare(name));
    const bound = findTimeBound(name);
    const isAbove = cost.cpuMsPerAct > bound.cpuMs || cost.longestCpuMs > bound.turnMs;
    print(cost, isAbove ? `above ${bound.cpuMs} ms, or ${bound.turnMs} ms in one turn` : '');
    isExceeded ||= isAbove;
  }
  stage.close();
  await server.stop();
  process.exit(isExceeded ? 1 : 0);
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
  const waits: number[] = [];
  const cpuBefore = cpuMicroseconds(server.pid);
  server.child.send('reset');
  const others = (async () => {
    while (isRunning) {
      const startedAt = performance.now();
      await stage.postAsOther();
      waits.push(performance.now() - startedAt);
    }
  })();
  for (let n = 0; n < acts.length; n += actsAtOnce) {
    await Promise.allSettled(acts.slice(n, n + actsAtOnce).map((act) => act()));
  }
  isRunning = false;
  await others;
  const delay = new Promise<Report>((resolve) => {
    server.child.once('message', (message) => resolve(message as Report));
  });
  server.child.send('report');
  const { longestMs, longestCpuMs } = await delay;
  const cpuMs = (cpuMicroseconds(server.pid) - cpuBefore) / 1000;
  return {
    name,
    acts: acts.length,
    // The posts of the other member are a part of it.
    cpuMsPerAct: cpuMs / Math.max(1, acts.length),
    longestDelayMs: longestMs,
    longestCpuMs,
    longestWaitMs: Math.max(...waits),
  };
}

async function querySqlite(dataDir: string, sql: string): Promise<Record<string, unknown>[]> {
  const file = new SQLite(join(dataDir, 'backchannel.sqlite'), { timeout: 5000 });
  const statement = file.prepare<[], Record<string, unknown>>(sql);
  const rows = statement.reader ? statement.all() : [];
  if (!statement.reader) statement.run();
  file.close();
  return rows;
}
