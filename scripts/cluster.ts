/**
 * `npm run cluster` starts PostgreSQL, Redis, three nodes and Caddy in temporary folders. Ctrl-C ends all of them and removes
 * the folders. `PORT` is Caddy's port. The nodes get all other settings of the environment.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { toStartupFailure } from '#server/base/startup-failure.ts';
import { ensureWebBuilt } from '#server/features/web-app/web-build.ts';
import { findPrograms } from './programs.ts';
import { runCaddy } from './cluster/run-caddy.ts';
import { startNodes } from './cluster/start-nodes.ts';
import { startPostgres } from './start-postgres.ts';
import { startRedis } from './start-redis.ts';

const nodeCount = 3;
const { values } = parseArgs({ options: { 'without-web': { type: 'boolean', default: false } } });

const folder = mkdtempSync(join(tmpdir(), 'backchannel-cluster-'));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => leave(0));
try {
  await runCluster(!values['without-web']);
} catch (error) {
  console.error(toStartupFailure(error));
  leave(1);
}

function leave(code: number): never {
  // This listener is added last, so that it runs after the listeners that end the processes, which write into the folder.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  process.exit(code);
}

async function runCluster(withWeb: boolean): Promise<void> {
  const engines = findPrograms(['PostgreSQL', 'Redis', 'Caddy']);
  if ('missing' in engines) {
    console.error(engines.missing);
    leave(1);
  }
  const { found } = engines;
  const { PORT = '3000', DATA_DIR: _, ...settings } = process.env as Record<string, string>;
  const port = Number(PORT);
  if (withWeb) await ensureWebBuilt(() => console.log('  Building the web app …'));
  console.log('  Starting PostgreSQL, Redis, three nodes and Caddy …');
  const postgres = await startPostgres(found.PostgreSQL);
  const redis = await startRedis(found.Redis);
  const publicUrl = `http://localhost:${port}`;
  const nodes = await startNodes({
    folder,
    count: nodeCount,
    publicUrl,
    withWeb,
    engines: () => ({ databaseUrl: postgres.url, redisUrl: redis.url }),
    settings: { ...settings, TRUSTED_PROXIES: '1' },
  });
  const upstreams = nodes.map(({ origin }) => new URL(origin).host);
  await runCaddy(found.Caddy, folder, port, upstreams);
  console.log(`
  Backchannel is at ${publicUrl}
    nodes       ${upstreams.join(', ')}
    PostgreSQL  ${postgres.url}
    Redis       ${redis.url}
    data folder ${folder}

  Ctrl-C ends it and removes all of it.
`);
}
