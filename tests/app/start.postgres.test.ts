import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { createStudent } from '../../scripts/student.ts';
import { enter, newClass, password, post } from './running-app.ts';
import { refuses } from './refuses.ts';
import { startProcess, type ServerProcess } from './server-process.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

let database: TestDatabase;
let port: string;
let processes: ServerProcess[];
beforeEach(async () => {
  database = await createTestDatabase();
  port = String(await freePort());
  processes = [];
});
afterEach(async () => {
  for (const { child, ended } of processes) {
    child.kill('SIGKILL');
    await ended;
  }
  await database.drop();
});

function start(more: Readonly<Record<string, string>> = {}): ServerProcess {
  const started = startProcess('node', { ...database.settings, PORT: port, ...more });
  processes.push(started);
  return started;
}

describe('the server on PostgreSQL', () => {
  test('ends cleanly, and all is there afterwards; another key is refused [START-4, START-8, LOG-3]', async () => {
    const server = start();
    await server.printed('data folder');
    const ada = createStudent(`http://127.0.0.1:${port}`, 'ada@university.edu', password);
    await ada.call('signUp', { body: { email: ada.email, password } });
    const classId = await newClass(ada);
    await post(await ada.connect(), classId, 'kept');
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);

    await start().printed('data folder');
    const { messages } = await enter(await ada.connect(), classId);
    expect(messages.map((message) => message.text)).toEqual(['kept']);
    await refuses(
      start({
        SECRET_KEY: randomBytes(32).toString('hex'),
        DATA_DIR: `${database.settings.DATA_DIR}/other`,
      }),
      /server key/,
    );
  });

  test('does not start without its database [START-5]', async () => {
    const missing = new URL(database.settings.DATABASE_URL!);
    missing.pathname = 'no_such_database';
    await refuses(start({ DATABASE_URL: missing.href }), /DATABASE_URL/);
    missing.port = String(await freePort());
    await refuses(start({ DATABASE_URL: missing.href }), /DATABASE_URL/);
  });
});
