// Several real servers on one database, connected by a real Redis.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { findRedis, startRedis, type Redis } from '../../scripts/start-redis.ts';
import { findClasses } from './find-classes.ts';
import { defer } from './later.ts';
import { startApp, type RunningApp } from './running-app.ts';
import { createTestClient, type TestClient } from './test-client.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

/** Redis is needed: otherwise `npm test -- postgres` lists the tests as skipped. */
export const redisCommand = findRedis();

export interface Nodes {
  readonly redis: Redis;
  readonly database: TestDatabase;
  readonly apps: readonly RunningApp[];
  /** The same person, with the same session, at another node. */
  at(node: number, person: TestClient): TestClient;
  /** Resolves when the other nodes have received everything that this node sent before. */
  settle(node: number): Promise<void>;
  /** What each node says about its readiness. */
  readiness(): Promise<string[]>;
}

type Settings = Readonly<Record<string, string>>;

/** Runs nodes for the tests of the file, or of the describe block that calls this. */
export function setUpNodes(
  count: number,
  settings: (node: number, databaseUrl: string) => Settings | Promise<Settings> = () => ({}),
): Nodes {
  let nodes: Nodes;
  // Newest first. If one part fails to start, the parts before it are still stopped.
  const stops: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const redis = await startRedis(redisCommand ?? 'redis-server');
    stops.unshift(() => redis.stop());
    const database = await createTestDatabase();
    stops.unshift(() => database.drop());
    const apps = await Promise.all(
      Array.from({ length: count }, async (_, node) => {
        // Each node has its own folder, as on its own machine.
        const DATA_DIR = `${database.settings.DATA_DIR}/node-${node}`;
        const nodeSettings = await settings(node, database.settings.DATABASE_URL ?? '');
        return startApp({ ...nodeSettings, DATA_DIR, REDIS_URL: redis.url }, database);
      }),
    );
    nodes = {
      redis,
      database,
      apps,
      at: (node, person) =>
        createTestClient(apps[node]?.origin ?? '', person.email, { cookie: person.cookie() }),
      async settle(node) {
        // A node sends a new class after everything that it sent before.
        const courseName = `Settled ${randomUUID().slice(0, 8)}`;
        const author = await apps[node]!.createStudent(`settler-${randomUUID()}`);
        const classId = await author.createClass({ courseName });
        for (const other of apps.keys()) {
          await expect
            .poll(async () => {
              const { hits } = await findClasses(nodes.at(other, author), courseName);
              return hits.map((hit) => hit.objectID);
            })
            .toContain(classId);
        }
      },
      readiness: () =>
        Promise.all(apps.map(async ({ origin }) => (await fetch(`${origin}/readyz`)).text())),
    };
    stops.unshift(() => Promise.all(apps.map((app) => app.close())));
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });
  return defer(() => nodes);
}
