// Several real servers on one database, connected by a real Redis.
import { afterAll, beforeAll } from 'vitest';
import { findRedis, startRedis, type Redis } from '../../scripts/start-redis.ts';
import { later } from './later.ts';
import { startApp, type RunningApp } from './running-app.ts';
import { createTestClient, type TestClient } from './test-client.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

/** Without Redis, `npm test -- postgres` lists the tests as skipped. */
export const redisCommand = findRedis();

export interface Nodes {
  readonly redis: Redis;
  readonly database: TestDatabase;
  readonly apps: readonly RunningApp[];
  /** The same person, with the same session, at another node. */
  at(node: number, person: TestClient): TestClient;
  /** What each node says about its readiness. */
  readiness(): Promise<string[]>;
}

/** Runs nodes for the tests of the file, or of the describe block that calls this. */
export function setUpNodes(count: number, settings: Readonly<Record<string, string>> = {}): Nodes {
  let nodes: Nodes;
  let stop = async () => {};
  beforeAll(async () => {
    const redis = await startRedis(redisCommand ?? 'redis-server');
    const database = await createTestDatabase();
    const apps = await Promise.all(
      Array.from({ length: count }, async (_, node) => {
        // Each node has its own folder, as on its own machine.
        const DATA_DIR = `${database.settings.DATA_DIR}/node-${node}`;
        return startApp({ ...settings, DATA_DIR, REDIS_URL: redis.url }, database);
      }),
    );
    nodes = {
      ...{ redis, database, apps },
      at: (node, person) =>
        createTestClient(apps[node]?.origin ?? '', person.email, { cookie: person.cookie() }),
      readiness: () =>
        Promise.all(apps.map(async ({ origin }) => (await fetch(`${origin}/readyz`)).text())),
    };
    stop = async () => {
      await Promise.all(apps.map((app) => app.close()));
      await database.drop();
      await redis.stop();
    };
  });
  afterAll(() => stop());
  return later(() => nodes);
}
