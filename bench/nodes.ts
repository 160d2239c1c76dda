// `npm run bench -- nodes` puts the same load on one server without Redis and on several nodes, all on PostgreSQL. The engines
// are those of the system's packages, with their data in memory: a disk would only add the same time to each commit.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient } from '@redis/client';
import { Client } from 'pg';
import { findPostgres, startPostgres } from '../scripts/start-postgres.ts';
import { findRedis, startRedis } from '../scripts/start-redis.ts';
import { computeMedian } from './percentiles.ts';
import { Load, type LoadFigures } from './chat/load.ts';
import { waitForQuietMachine } from './chat/scenario.ts';
import { Backchannel } from './chat/systems/backchannel.ts';
import { measureCpuMicroseconds } from './processes.ts';
import { formatAlignedTable, describeMachine, writeReport } from './report.ts';

const loads = {
  'one room of 1,000, 20 messages/s': { clients: 1000, rooms: 1, rate: 20 },
  '20 rooms of 100, 60 messages/s': { clients: 2000, rooms: 20, rate: 60 },
};
type LoadName = keyof typeof loads;

/** 0: one server without Redis. */
const setups = { 'one server': 0, '1 node': 1, '2 nodes': 2, '4 nodes': 4 };
type SetupName = keyof typeof setups;

const figures = [
  ['nodes: CPU µs per delivery', 'cpuPerDeliveryUs', 1],
  ['PostgreSQL and Redis: CPU ms per message', 'enginesMs', 2],
  ['same node: p50, ms', 'p50Ms', 1],
  ['same node: p99, ms', 'p99Ms', 1],
  ['other node: p50, ms', 'otherNodeP50Ms', 1],
  ['other node: p99, ms', 'otherNodeP99Ms', 1],
] as const;

interface Engines {
  redisUrl: string;
  pids: readonly number[];
  /** @returns the URL of a new, empty database */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts PostgreSQL and Redis. */
export async function startEngines(): Promise<Engines> {
  const postgresCommands = findPostgres();
  const redisCommand = findRedis();
  if (!postgresCommands || !redisCommand) {
    throw new Error(
      'This benchmark needs PostgreSQL and Redis: apt install postgresql redis-server',
    );
  }
  const postgres = await startPostgres(postgresCommands);
  const redis = await startRedis(redisCommand);
  let databases = 0;
  return {
    redisUrl: redis.url,
    pids: [await findPostgresPid(postgres.url), await findRedisPid(redis.url)],
    async createDatabase() {
      const name = `bench${++databases}`;
      await queryPostgres(postgres.url, `create database ${name}`);
      return Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href;
    },
    async stop() {
      await redis.stop();
      postgres.stop();
    },
  };
}

type Measured = LoadFigures & { load: LoadName; setup: SetupName; enginesMs: number };

export async function benchNodes(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '10' },
      results: { type: 'string', default: resolve(import.meta.dirname, 'results') },
    },
  });
  const startedAt = new Date();
  console.error(describeMachine());
  const engines = await startEngines();
  const results: Measured[] = [];
  for (let round = 1; round <= Number(values.rounds); round++) {
    for (const load of Object.keys(loads) as LoadName[]) {
      for (const setup of Object.keys(setups) as SetupName[]) {
        const measured = await measure(load, setup, Number(values.seconds), engines);
        console.error(JSON.stringify({ round, ...measured }));
        results.push(measured);
      }
    }
  }
  console.log(`\n${formatTable(results)}\n`);
  console.log(`Written to ${writeReport(values.results, 'nodes', startedAt, { results })}`);
  await engines.stop();
}

async function measure(
  name: LoadName,
  setup: SetupName,
  seconds: number,
  { redisUrl, pids: enginePids, createDatabase }: Engines,
): Promise<Measured> {
  const { clients, rooms, rate } = loads[name];
  const dataDir = mkdtempSync(join(tmpdir(), 'backchannel-bench-'));
  const count = setups[setup];
  const settings = {
    DATABASE_URL: await createDatabase(),
    SECRET_KEY: randomBytes(32).toString('base64url'),
    ...(count > 0 && { REDIS_URL: redisUrl }),
  };
  const system = new Backchannel({ count, settings });
  const server = await system.start({
    dataDir,
    clients,
    rooms,
    nodeOptions: [],
    withChannel: false,
  });
  try {
    const load = new Load(system, clients, rooms, (client) => system.toNodeIndex(client));
    await load.connectAll();
    const pids = system.listPids();
    await load.run(pids, rate, 3);
    await sleep(1000);
    await waitForQuietMachine();
    const measureEnginesUs = () =>
      enginePids.reduce((sum, pid) => sum + measureCpuMicroseconds(pid), 0);
    const enginesBeforeUs = measureEnginesUs();
    const measured = await load.run(pids, rate, seconds);
    const enginesMs = (measureEnginesUs() - enginesBeforeUs) / 1000 / measured.sent;
    load.closeAll();
    return { ...measured, load: name, setup, enginesMs };
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function findPostgresPid(url: string): Promise<number> {
  const [row] = await queryPostgres(url, `select pg_read_file('postmaster.pid') as file`);
  return Number.parseInt(String(row?.['file']), 10);
}

async function findRedisPid(url: string): Promise<number> {
  const client = await createClient({ url }).connect();
  const info = await client.info('server');
  client.destroy();
  return Number(/process_id:(\d+)/.exec(info)?.[1]);
}

async function queryPostgres(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(text);
  await client.end();
  return rows;
}

function formatTable(results: readonly Measured[]): string {
  const rows = Object.keys(loads).flatMap((load) =>
    figures.map(([label, key, digits]) => {
      const cells = Object.keys(setups).map((setup) => {
        const runs = results.filter((run) => run.load === load && run.setup === setup);
        const value = computeMedian(runs.map((run) => run[key]));
        return value === 0 ? '' : value.toFixed(digits);
      });
      const flags = results.flatMap((run) => (run.load === load ? run.flags : []));
      return [load, label, ...cells, label === figures[0][0] ? [...new Set(flags)].join(', ') : ''];
    }),
  );
  return formatAlignedTable([['load', 'figure', ...Object.keys(setups), 'flags'], ...rows]);
}
