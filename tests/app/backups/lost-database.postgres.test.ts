// PostgreSQL stops and restarts while our server runs. The test uses its own PostgreSQL, because other tests
// run in parallel.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Finding } from '../../../scripts/commands/doctor/finding.ts';
import { findPostgres, startPostgres, type Postgres } from '../../../scripts/start-postgres.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';
import { findClasses } from '#tests/support/find-classes.ts';
import { runCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';

let postgres: Postgres;
let database: TestDatabase;
let app: RunningApp;
beforeAll(async () => {
  postgres = await startPostgres(findPostgres()!);
  database = await createTestDatabase(postgres.url);
  app = await startApp(database.settings);
});
afterAll(async () => {
  await app.stop();
  await database.drop();
  postgres.stop();
});

test('a browser that sends nothing does not notice a restart of PostgreSQL', async () => {
  const student = await app.createStudent();
  const classId = await student.createClass();
  const socket = await student.connectTo(classId);
  await socket.post(classId, 'before');

  await postgres.restart();
  expect(await socket.post(classId, 'after')).toMatchObject({ type: 'ack', seq: 2 });

  const { messages } = await student.snapshot(classId);
  expect(messages.map(({ text }) => text)).toEqual(['before', 'after']);
});

test('the server does not start on a PostgreSQL without full_page_writes, and doctor finds it [START-23]', async () => {
  const otherDatabase = await createTestDatabase(postgres.url);
  await setForAll('full_page_writes', 'off');

  await expect(startApp(otherDatabase.settings, otherDatabase)).rejects.toThrow(
    'full_page_writes = off',
  );

  const { output } = await runCommand('doctor', ['--json'], database.settings);

  const findings = JSON.parse(output) as Finding[];
  expect(findings).toContainEqual({
    part: 'database',
    state: 'problem',
    text: expect.stringContaining('alter system set full_page_writes = on'),
  });

  await setForAll('full_page_writes', 'on');
  await otherDatabase.drop();
});

/** Changes the configuration of the whole PostgreSQL, which takes a moment to reread it. */
async function setForAll(name: string, value: string): Promise<void> {
  await database.query(`alter system set ${name} = ${value}`);
  await database.query('select pg_reload_conf()');
  await expect.poll(() => database.query(`show ${name}`)).toEqual([{ [name]: value }]);
}

test('a message sent during a restart of PostgreSQL is stored once when the browser repeats it [LOG-3, LOG-4]', async () => {
  const student = await app.createStudent();
  const classId = await student.createClass();
  const socket = await student.connectTo(classId);
  let isRestarted = false;
  let rejectionCount = 0;
  const restarting = postgres.restart().finally(() => {
    isRestarted = true;
  });
  const sentIds: string[] = [];
  while (!isRestarted || sentIds.length < 30) {
    const id = randomUUID();
    sentIds.push(id);
    for (;;) {
      const answer = await socket.post(classId, `message ${sentIds.length}`, id);
      if (answer.type === 'ack') break;
      expect(answer).toMatchObject({ code: 'UNAVAILABLE' });
      rejectionCount += 1;
    }
  }

  await restarting;
  expect(rejectionCount).toBeGreaterThan(0);

  const storedRows = await database.query(
    `select id, seq from messages where "classId" = '${classId}' order by seq`,
  );
  expect(storedRows).toEqual(sentIds.map((id, i) => ({ id, seq: String(i + 1) })));
});

test('search matches the classes that changed during a restart of PostgreSQL [SEARCH-18]', async () => {
  const ada = await app.createStudent();
  const students = [ada, await app.createStudent(), await app.createStudent()];
  const classId = await ada.createClass({ courseName: 'Interrupted Studies' });
  let isRestarted = false;
  const restarting = postgres.restart().finally(() => {
    isRestarted = true;
  });
  while (!isRestarted) {
    await Promise.allSettled(
      students.map(async (student, i) => {
        const params = { classId };
        await student.call(i === 0 ? 'leaveClass' : 'joinClass', { params });
        await student.call(i === 0 ? 'joinClass' : 'leaveClass', { params });
      }),
    );
  }
  await restarting;

  const storedRows = await database.query(
    `select "memberCount" from classes where "classId" = '${classId}'`,
  );

  await expect
    .poll(async () => (await findClasses(ada, 'interrupted studies')).hits, {
      timeout: 10_000,
    })
    .toMatchObject([storedRows[0]!]);
});
