// PostgreSQL and Redis of the system's packages, with their data in memory: a disk would only add the same time to each commit.
import { randomBytes } from 'node:crypto';
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
  const pids = [postgres.findPid()];
  const redis = withRedis ? await startRedis(engines.found.Redis) : null;
  if (redis) pids.push(redis.findPid());
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
