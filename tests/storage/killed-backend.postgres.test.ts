// A process of PostgreSQL is killed during commits, as by the kernel when memory is short. PostgreSQL then ends all connections and
// recovers without a restart, and gives the ids of transactions that were not yet on the disk to others. The test uses its own
// PostgreSQL, because other tests run in parallel.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createLog } from '#server/base/log.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { appendToLog, listLogEntries } from '#server/chat/messages/log-queries.ts';
import { GroupCommitQueue, type CommitQueue } from '#server/store/commit-queue.ts';
import { startPostgresProxy, type PostgresProxy } from '#tests/support/postgres-proxy.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';
import { findPostgres, startPostgres, type Postgres } from '../../scripts/start-postgres.ts';
import { addClass, openStorage, type OpenedStorage } from './opened-storage.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres(findPostgres()!);
});
afterAll(() => postgres.stop());

let database: TestDatabase;
let proxy: PostgresProxy;
let servers: OpenedStorage[];
let queues: CommitQueue[];
beforeEach(async () => {
  database = await createTestDatabase(postgres.url);
  proxy = await startPostgresProxy(database.settings.DATABASE_URL!);
  const settings = { ...database.settings, DATABASE_URL: proxy.url };
  servers = [await openStorage({ ...database, settings }), await openStorage(database)];
  queues = servers.flatMap(({ commits, commitDb }) => [commits, openAccountQueue(commitDb)]);
});
afterEach(async () => {
  proxy.thaw();
  for (const queue of queues) await queue.drain();
  for (const server of servers) await server.close();
  proxy.end();
  await database.drop();
});

function openAccountQueue(db: OpenedStorage['db']): CommitQueue {
  return new GroupCommitQueue({ db, kind: 'postgres', log: createLog({ write() {} }) });
}

/** Kills the process of a connection. Resolves when PostgreSQL has ended the other connections. */
async function killBackend(): Promise<void> {
  const clients = [
    new pg.Client(database.settings.DATABASE_URL),
    new pg.Client(database.settings.DATABASE_URL),
  ];
  const [victim, other] = clients;
  const hasEnded = new Promise<void>((resolve) => other!.on('end', resolve));
  for (const client of clients) {
    client.on('error', () => {});
    await client.connect();
  }
  const { rows } = await victim!.query<{ pid: number }>('select pg_backend_pid() as pid');
  process.kill(rows[0]!.pid, 'SIGKILL');
  await hasEnded;
}

async function waitForRecovery(): Promise<void> {
  const connect = () => database.query('select 1 as one').catch(() => null);
  await expect.poll(connect).toEqual([{ one: 1 }]);
}

/** Appends an entry, again and again until it is acknowledged, as a browser does. @returns the ref of that entry */
async function append(queue: CommitQueue, classId: string): Promise<string> {
  for (;;) {
    const ref = createRandomId();
    try {
      await queue.write(({ db }) => appendToLog(db, classId, 'deleted', ref), { classId });
      return ref;
    } catch (error) {
      expect(error).toMatchObject({ code: 'UNAVAILABLE' });
      await sleep(50);
    }
  }
}

test.each([
  // One queue sends a begin, an update, an insert and a commit.
  ...[1, 2, 3, 4, 'reply' as const].map((moment) => ({ moment, queueCount: 1 })),
  // The messages of the two queues of the first server.
  ...[2, 4, 6, 8, 'reply' as const].map((moment) => ({ moment, queueCount: 4 })),
])(
  '$queueCount queues keep what they acknowledge if a process of PostgreSQL dies at message $moment [LOG-3, LOG-82]',
  async ({ moment, queueCount }) => {
    const writers = await Promise.all(
      queues.slice(0, queueCount).map(async (queue) => ({
        queue,
        classId: await addClass(servers[1]!),
      })),
    );
    const appendAll = () =>
      Promise.all(writers.map(({ queue, classId }) => append(queue, classId)));
    // The connections are open before the messages are counted.
    const firstRefs = await appendAll();
    const hold =
      moment === 'reply'
        ? proxy.freezeAfterCommit().then(() => () => proxy.thaw())
        : proxy.holdMessage(moment);

    const interruptedRefs = appendAll();
    const release = await hold;
    await killBackend();
    release();
    await waitForRecovery();

    const refs = [firstRefs, await interruptedRefs, await appendAll()];
    for (const [n, { classId }] of writers.entries()) {
      const rows = await database.query(
        `select ref from log where "classId" = '${classId}' order by seq`,
      );
      const storedRefs = rows.map(({ ref }) => ref);
      const acknowledgedRefs = refs.map((round) => round[n]);
      const isAcknowledged = (ref: unknown) => acknowledgedRefs.some((other) => other === ref);
      expect(storedRefs.filter(isAcknowledged)).toEqual(acknowledgedRefs);
    }
  },
);

test('a change whose commit a restart of PostgreSQL prevents is repeated once [LOG-82]', async () => {
  const [server] = servers;
  const classId = await addClass(server!);
  let runs = 0;

  const answers = await Promise.all([
    append(server!.commits, classId),
    server!.commits.write(async () => {
      runs += 1;
      // The server sends no query while the connection breaks. Its next query is the commit.
      if (runs === 1) await postgres.restart();
    }, 'independent'),
  ]);

  expect(runs).toBe(2);
  expect(await listLogEntries(server!.db, classId, 1, 10)).toMatchObject([{ ref: answers[0] }]);
});
