// PostgreSQL and Redis of the system's packages, with their data in memory: a disk would only add the same time to each commit.
import { randomBytes } from 'node:crypto';
import { createClient } from '@redis/client';
import { connectToPostgres } from '#tests/support/test-database.ts';
import { findPrograms } from '../../scripts/programs.ts';
import { startPostgres } from '../../scripts/start-postgres.ts';
import { startRedis } from '../../scripts/start-redis.ts';
import { measureCpuMicroseconds } from '../usage.ts';

export interface Engines {
  /** The settings with which a server uses them. */
  settings: Readonly<Record<string, string>>;
  measureMicroseconds(): number;
  stop(): Promise<void>;
}

export async function startEngines(withRedis: boolean): Promise<Engines> {
  const engines = findPrograms(['PostgreSQL', 'Redis']);
  if ('missing' in engines) throw new Error(engines.missing);
  const postgres = await startPostgres(engines.found.PostgreSQL);
  const pids = [await findPostgresPid(postgres.url)];
  const redis = withRedis ? await startRedis(engines.found.Redis) : null;
  if (redis) pids.push(await findRedisPid(redis.url));
  return {
    settings: {
      DATABASE_URL: postgres.url,
      SECRET_KEY: randomBytes(32).toString('base64url'),
      ...(redis && { REDIS_URL: redis.url }),
    },
    measureMicroseconds: () => pids.reduce((sum, pid) => sum + measureCpuMicroseconds(pid), 0),
    async stop() {
      await redis?.stop();
      postgres.stop();
    },
  };
}

async function findPostgresPid(url: string): Promise<number> {
  const client = await connectToPostgres(url);
  const { rows } = await client.query(`select pg_read_file('postmaster.pid') as file`);
  await client.end();
  return Number.parseInt((rows as { file: string }[])[0]!.file, 10);
}

async function findRedisPid(url: string): Promise<number> {
  const client = await createClient({ url }).connect();
  const info = await client.info('server');
  client.destroy();
  return Number(/process_id:(\d+)/.exec(info)?.[1]);
}
