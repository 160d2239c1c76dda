import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import { createTestClient } from '#tests/support/test-client.ts';
import { expectStartRefused } from '#tests/support/expect-start-refused.ts';
import { startProcess, type ServerProcess } from '#tests/support/server-process.ts';
import {
  connectToPostgres,
  createTestDatabase,
  type TestDatabase,
} from '#tests/support/test-database.ts';

let database: TestDatabase;
let port: string;
let processes: ServerProcess[];
beforeEach(async () => {
  database = await createTestDatabase();
  port = String(await findFreePort());
  processes = [];
});
afterEach(async () => {
  for (const { child, ended } of processes) {
    child.kill('SIGKILL');
    await ended;
  }
  await database.drop();
});

/** The number of the server's lock. Commits take other ones. */
const serverLock = 0x6261636b;
/** The database sessions that hold or wait for the server's lock. */
const locks = `select pid, objid as number, granted from pg_locks where locktype = 'advisory'
  and objid = ${serverLock}
  and database = (select oid from pg_database where datname = current_database())`;
const holders = `${locks} and granted`;

function start(settings: Readonly<Record<string, string>> = {}): ServerProcess {
  const newProcess = startProcess('node', { ...database.settings, PORT: port, ...settings });
  processes.push(newProcess);
  return newProcess;
}

describe('the server on PostgreSQL', () => {
  test('the server on PostgreSQL stops cleanly and keeps all data [START-4, START-7, LOG-3]', async () => {
    const server = start();
    await server.started();
    const ada = createTestClient(`http://127.0.0.1:${port}`, 'ada@university.edu');
    await ada.signUp();
    const classId = await ada.createClass();

    await ada.post(classId, 'kept');
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);

    const secondServer = start();
    await secondServer.started();
    const { messages } = await ada.snapshot(classId);
    expect(messages.map((message) => message.text)).toEqual(['kept']);

    secondServer.child.kill('SIGKILL');
    await expectStartRefused(start({ SECRET_KEY: randomBytes(32).toString('hex') }), /server key/);
  });

  test('the server on PostgreSQL rejects a database that another server uses, but not one of a killed server [START-11]', async () => {
    const first = start();
    await first.started();

    const otherSettings = {
      DATA_DIR: `${database.settings.DATA_DIR}/other`,
      PORT: String(await findFreePort()),
    };

    await expectStartRefused(start(otherSettings), /another server uses the database/);

    first.child.kill('SIGKILL');
    await start(otherSettings).started();
  });

  test('the server on PostgreSQL stops if another server took the database while its own session was lost [START-11]', async () => {
    const server = start();
    await server.started();
    const other = await connectToPostgres(database.settings.DATABASE_URL);
    // This session waits for the lock as a second server would, and gets it when the first one's session
    // ends.
    const [{ number } = { number: '' }] = await database.query(holders);
    const locking = other.query('select pg_advisory_lock($1)', [number]);
    await vi.waitFor(async () => expect(await database.query(locks)).toHaveLength(2));
    await database.query(`select pg_terminate_backend(pid) from (${holders}) as holder`);

    await locking;

    expect(await server.ended).toBe(1);
    expect(server.output()).toMatch(/another server uses the database/);

    await other.end();
  });

  test('the server on PostgreSQL keeps the database if its session was lost and no other server took it [START-11]', async () => {
    const server = start();
    await server.started();
    const [holderBefore] = await database.query(holders);
    await database.query(`select pg_terminate_backend(pid) from (${holders}) as holder`);

    await vi.waitFor(
      async () => {
        const [holderAfter] = await database.query(holders);
        expect(holderAfter).toBeDefined();
        expect(holderAfter).not.toEqual(holderBefore);
      },
      { timeout: 20_000 },
    );

    const otherSettings = { DATA_DIR: `${database.settings.DATA_DIR}/other` };
    await expectStartRefused(start(otherSettings), /another server uses the database/);
  });

  test('the server on PostgreSQL shares its database only with other nodes [START-11, NODE-13]', async () => {
    // A node also starts while Redis is gone.
    const node = { REDIS_URL: `redis://127.0.0.1:${await findFreePort()}` };
    const startNext = async (settings = {}) =>
      start({
        DATA_DIR: `${database.settings.DATA_DIR}/${randomBytes(4).toString('hex')}`,
        PORT: String(await findFreePort()),
        ...settings,
      });
    const onlyServer = await startNext();

    await onlyServer.started();
    await expectStartRefused(await startNext(node), /without REDIS_URL.* uses the database/);

    onlyServer.child.kill('SIGTERM');
    await onlyServer.ended;
    await (await startNext(node)).started();
    await (await startNext(node)).started();
    await expectStartRefused(await startNext(), /all of them need REDIS_URL/);
  });

  test('the server on PostgreSQL does not start without its database [START-5]', async () => {
    const missing = new URL(database.settings.DATABASE_URL!);
    missing.pathname = 'no_such_database';
    await expectStartRefused(start({ DATABASE_URL: missing.href }), /DATABASE_URL/);

    missing.port = String(await findFreePort());
    await expectStartRefused(start({ DATABASE_URL: missing.href }), /DATABASE_URL/);
  });
});
