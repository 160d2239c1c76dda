// What runs behind a site: one server as `npm start` runs it, or three nodes as `npm run cluster` runs them.
import type { Settings } from '#tests/support/child-environment.ts';
import { startProcess, type ServerProcess } from '#tests/support/server-process.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';
import { findPrograms } from '../../scripts/programs.ts';
import { runCaddy } from '../../scripts/cluster/run-caddy.ts';
import { startNodes } from '../../scripts/cluster/start-nodes.ts';
import { startPostgres, type Postgres } from '../../scripts/start-postgres.ts';
import { startRedis } from '../../scripts/start-redis.ts';

export interface Engine {
  /** The folder of the data, or of the nodes' folders. */
  readonly folder: string;
  /** What commands that open the data need. */
  readonly settings: Settings;
  readonly query: TestDatabase['query'];
  /** Resolves when the port answers. */
  start(port: number, settings: Readonly<Record<string, string>>): Promise<void>;
  /** Leaves the data for the next start. */
  stop(): Promise<void>;
  /** Removes the data. */
  remove(): Promise<void>;
}

export async function setUpServer(): Promise<Engine> {
  const database = await createTestDatabase();
  let server: ServerProcess | undefined;
  return {
    folder: database.settings.DATA_DIR,
    settings: database.settings,
    query: database.query,
    async start(port, settings) {
      server = startProcess('npm', { ...database.settings, PORT: String(port), ...settings });
      await server.started();
    },
    async stop() {
      await server?.stop();
    },
    remove: database.drop,
  };
}

/** The sites of a worker share it, each with its own database. It ends with the worker. */
let postgres: Promise<Postgres> | undefined;
/** Every process of a site has a listener that ends it with the worker. */
const maxExitListeners = 100;

export async function setUpNodes(): Promise<Engine> {
  const engines = findPrograms(['PostgreSQL', 'Redis', 'Caddy']);
  if ('missing' in engines) throw new Error(engines.missing);
  const { found } = engines;
  process.setMaxListeners(maxExitListeners);
  postgres ??= startPostgres(found.PostgreSQL);
  const redis = await startRedis(found.Redis);
  const database = await createTestDatabase((await postgres).url).catch(async (error: unknown) => {
    await redis.stop();
    throw error;
  });
  const { DATA_DIR: folder, DATABASE_URL = '', SECRET_KEY = '' } = database.settings;
  let stop = async () => {};
  return {
    folder,
    // A command that stores files uses a node's folder.
    settings: { DATA_DIR: `${folder}/node-1`, DATABASE_URL, SECRET_KEY, REDIS_URL: redis.url },
    query: database.query,
    async start(port, settings) {
      const nodes = await startNodes({
        folder,
        count: 3,
        publicUrl: `http://localhost:${port}`,
        withWeb: true,
        engines: () => ({ databaseUrl: DATABASE_URL, redisUrl: redis.url }),
        settings: { ...settings, SECRET_KEY, TRUSTED_PROXIES: '1' },
      });
      const upstreams = nodes.map(({ origin }) => new URL(origin).host);
      const caddy = await runCaddy(found.Caddy, folder, port, upstreams);
      stop = async () => {
        await Promise.all(nodes.map((node) => node.end('SIGTERM')));
        await caddy.stop();
      };
    },
    stop: () => stop(),
    async remove() {
      await redis.stop();
      await database.drop();
    },
  };
}
