// One round on several nodes: a new database, a proxy between each node and each engine, and clients that change nodes.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNodes } from '../../../scripts/cluster/start-nodes.ts';
import type { Postgres } from '../../../scripts/start-postgres.ts';
import type { Redis } from '../../../scripts/start-redis.ts';
import { unlimitedRates } from '#server/config/rate-settings.ts';
import { socketPath } from '#contract/socket-address.ts';
import { startPostgresProxy, type PostgresProxy } from '#tests/support/postgres-proxy.ts';
import { createRandom, type Random } from '#tests/support/random.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';
import { checkHistory } from '../checker.ts';
import { createEmptyHistory } from '../history.ts';
import { play, settle, type RoundResult } from '../play-round.ts';
import { openSchool } from '../school.ts';
import type { Preload, TestedServer } from '../server.ts';
import type { Fault, Stage } from '../stage.ts';
import { loadStoredOnPostgres } from '../stored.ts';
import type { SyncClient } from '../sync-client.ts';
import { startBusProxy, type BusProxy } from './bus-proxy.ts';

export interface FaultyNode {
  readonly server: TestedServer;
  /** How this node reaches the engines. */
  readonly toPostgres: PostgresProxy;
  readonly toRedis: BusProxy;
}

export interface NodesStage extends Stage {
  readonly nodes: readonly FaultyNode[];
  readonly postgres: Postgres;
  readonly redis: Redis;
  readonly database: TestDatabase;
}

export interface NodesFault extends Pick<Fault, 'name' | 'timeoutMs' | 'planted'> {
  createPreload?(node: number): Preload;
  /** What happens to each message that reaches a node through Redis, as for `startBusProxy`. */
  arrivals?(random: Random): readonly number[];
  /** Causes and repairs the fault while the load continues. */
  run(stage: NodesStage): Promise<void>;
}

interface Engines {
  readonly postgres: Postgres;
  readonly redis: Redis;
  readonly count: number;
  readonly full: boolean;
}

export const createNodesRounds = ({ postgres, redis, count, full }: Engines) => ({
  async play(fault: NodesFault, seed: number): Promise<RoundResult> {
    const random = createRandom(seed).fork(fault.name);
    const folder = mkdtempSync(join(tmpdir(), 'backchannel-faults-'));
    chmodSync(folder, 0o700);
    const database = await createTestDatabase(postgres.url);
    const history = createEmptyHistory();
    const sockets: SyncClient[] = [];
    const cleanups: (() => void)[] = [];
    let nodes: FaultyNode[] = [];
    try {
      const proxies = await Promise.all(
        Array.from({ length: count }, async (_, node) => {
          const busRandom = random.fork(`bus ${node}`);
          const arrivals = fault.arrivals && (() => fault.arrivals!(busRandom));
          const toPostgres = await startPostgresProxy(database.settings.DATABASE_URL!);
          const toRedis = await startBusProxy(redis.url, arrivals);
          cleanups.push(toPostgres.end, toRedis.end);
          return { toPostgres, toRedis };
        }),
      );
      const servers = await startNodes({
        folder,
        count,
        settings: unlimitedRates,
        engines: (node) => ({
          databaseUrl: proxies[node]!.toPostgres.url,
          redisUrl: proxies[node]!.toRedis.url,
        }),
        ...(fault.createPreload ? { preload: fault.createPreload } : {}),
      });
      nodes = servers.map((server, node) => ({ server, ...proxies[node]! }));
      let connections = 0;
      const urls = servers.map(({ origin }) => `${origin.replace('http', 'ws')}${socketPath}`);
      const school = await openSchool(servers[0]!.origin, random, {
        timeoutMs: fault.timeoutMs ?? 5_000,
        url: () => urls[connections++ % count]!,
      });
      sockets.push(...school.clients, school.leaver, school.stranger);
      const setting = { server: servers[0]!, school, history, sockets, cleanups };
      const onNodes = (stage: Stage) => fault.run({ ...stage, nodes, postgres, redis, database });
      for (const server of servers.slice(1)) server.markMemory();
      await play({ ...fault, run: onNodes }, setting, random, full);
      await settle({}, setting);
      for (const client of sockets) client.disconnect();
      await Promise.all(servers.map((server) => server.end('SIGTERM')));
      history.memory = findLargestGrowth(servers);
      history.stored = await loadStoredOnPostgres(database);
      return { history, violations: checkHistory(history) };
    } catch (error) {
      const output = nodes.map(({ server }) => server.output().slice(-700)).join('\n');
      const detail = `the round itself failed: ${String(error)}\n${output}`;
      return { history, violations: [{ rule: 'observed', detail }] };
    } finally {
      for (const client of sockets) client.disconnect();
      for (const end of cleanups) end();
      await Promise.all(nodes.map(({ server }) => server.end('SIGKILL')));
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

function findLargestGrowth(servers: readonly TestedServer[]) {
  const growths = servers.flatMap((server) => server.memory() ?? []);
  return growths.toSorted((a, b) => b.peak - b.bytesBefore - (a.peak - a.bytesBefore))[0] ?? null;
}
