// If PostgreSQL hangs or is down, the server rejects every request within seconds.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import { startPostgresProxy, type PostgresProxy } from '#tests/support/postgres-proxy.ts';
import { expectStartRefused } from '#tests/support/expect-start-refused.ts';
import { password } from '#tests/support/test-client.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { startProcess } from '#tests/support/server-process.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';

let database: TestDatabase;
let proxy: PostgresProxy;
let proxiedDatabase: TestDatabase;
let app: RunningApp;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startPostgresProxy(database.settings.DATABASE_URL!);
  proxiedDatabase = { ...database, settings: { ...database.settings, DATABASE_URL: proxy.url } };
  app = await startApp({}, proxiedDatabase);
});
afterAll(async () => {
  proxy.thaw();
  await app.close();
  proxy.end();
  await database.drop();
});

async function measureTime(call: Promise<unknown>): Promise<{ seconds: number; answer: unknown }> {
  const start = performance.now();
  const answer = await call.catch((error: unknown) => error);
  return { seconds: (performance.now() - start) / 1000, answer };
}

test('a server with a frozen database rejects everything within seconds, and recovers without help [ERROR-6, ERROR-7, HTTP-11]', async () => {
  const ada = await app.createStudent();
  const classId = await ada.createClass();
  const socket = await ada.connectTo(classId);
  const rejection = { code: 'UNAVAILABLE' };
  proxy.freeze();

  const ready = await measureTime(fetch(`${app.origin}/readyz`));
  expect(ready.answer).toMatchObject({ status: 503 });
  expect(ready.seconds).toBeLessThan(3);

  const calls: Promise<unknown>[] = [
    socket.post(classId, 'not now'),
    ada.call('listClasses', {}),
    ada.call('readClass', { params: { classId } }),
    ada.call('me', {}),
    ada.call('signOut', {}),
    app.visitor().call('signUp', { body: { email: 'new@university.edu', password } }),
    app.visitor().call('signIn', { body: { email: ada.email, password } }),
    app.visitor().call('requestPasswordReset', { body: { email: ada.email } }),
    ...Array.from({ length: 40 }, () => ada.call('readClass', { params: { classId } })),
  ];
  for (const { answer, seconds } of await Promise.all(calls.map(measureTime))) {
    expect(answer).toMatchObject(rejection);
    expect(seconds).toBeLessThan(7);
  }
  await expect(ada.connect()).rejects.toThrow('503');

  proxy.thaw();
  await expect.poll(async () => (await fetch(`${app.origin}/readyz`)).status).toBe(200);
  expect(await socket.post(classId, 'again')).toMatchObject({ type: 'ack' });
  expect((await ada.call('listClasses', {})).classes).toHaveLength(1);
});

test('a server with a frozen database can still stop [START-4]', async () => {
  const ada = await app.createStudent();
  const classId = await ada.createClass();
  const socket = await ada.connectTo(classId);
  proxy.freeze();
  void socket.post(classId, 'never').catch(() => {});
  void ada.call('listClasses', {}).catch(() => {});

  const { seconds } = await measureTime(app.close());

  expect(seconds).toBeLessThan(15);

  proxy.thaw();
  app = await startApp({}, proxiedDatabase);
});

describe('the start explains what to do if', () => {
  const start = async (change: (url: URL) => void) => {
    const url = new URL(proxy.url);
    change(url);
    const DATA_DIR = join(database.settings.DATA_DIR, 'other');
    const settings = { ...database.settings, DATA_DIR, DATABASE_URL: url.href };
    return startProcess('node', { ...settings, PORT: String(await findFreePort()) });
  };

  test('a start explains that no database server listens at the address [START-5, START-18]', async () => {
    const port = String(await findFreePort());

    await expectStartRefused(await start((url) => (url.port = port)), /no PostgreSQL listens/);
  });

  test('a start explains that the database does not exist [START-5, START-18]', async () => {
    await expectStartRefused(
      await start((url) => (url.pathname = '/none')),
      /no database of the name/,
    );
  });

  test('a start explains that the database user does not exist [START-5, START-18]', async () => {
    await expectStartRefused(
      await start((url) => (url.username = 'nobody')),
      /refuses the user or password/,
    );
  });

  test('a start explains that the database does not answer [START-5, START-18]', async () => {
    proxy.freeze();

    await expectStartRefused(await start(() => {}), /does not answer/);

    proxy.thaw();
  });
});
