// Another program holds the database's write lock, so nothing can be saved for a while.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { password, someClass } from '#tests/support/test-client.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

test('a message that cannot be saved is rejected with a retry time, as a call is, and the retry succeeds [ERROR-6, LOG-17]', async () => {
  const student = await app.createStudent();
  const classId = await student.createClass();
  const socket = await student.connectTo(classId);
  const other = new SQLite(join(app.database.settings.DATA_DIR, 'backchannel.sqlite'));
  other.exec('BEGIN IMMEDIATE');

  const reply = await socket.post(classId, 'hello');
  const response = await student.fetch('/api/classes', {
    method: 'POST',
    body: JSON.stringify(someClass),
  });

  other.exec('ROLLBACK');
  other.close();
  expect(reply).toMatchObject({
    code: 'UNAVAILABLE',
    message: 'The server cannot save anything right now. Please try again.',
  });
  expect(reply).toHaveProperty('retryAfterMs', expect.any(Number));
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(await socket.post(classId, 'hello', reply.id)).toMatchObject({ type: 'ack' });
});

test('no message is rejected because of another program’s short commits [LOG-21]', async () => {
  const students = [
    await app.createStudent(),
    await app.createStudent(),
    await app.createStudent(),
  ];
  const classId = await students[0]!.createClass();
  for (const student of students.slice(1)) await student.join(classId);
  const sockets = await Promise.all(students.map((student) => student.connect()));
  const other = spawn(process.execPath, ['-e', smallCommits], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    env: { FILE: join(app.database.settings.DATA_DIR, 'backchannel.sqlite') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(other.stdout, 'data');
  const answers = await Promise.all(
    sockets.map(async (socket) => {
      const nacks = [];
      for (let i = 0; i < 300; i++) {
        const answer = await socket.post(classId, `message ${i}`);
        if (answer.type === 'nack') nacks.push(answer);
      }
      return nacks;
    }),
  );
  other.kill();

  await once(other, 'close');

  expect(answers).toEqual([[], [], []]);
});

test('sign-up, sign-in and sign-out wait while another program briefly locks the file [LOG-21]', async () => {
  const student = app.visitor();
  const credentials = { body: { email: student.email, password } };
  const runDuringLock = async (call: () => Promise<unknown>) => {
    const other = new SQLite(join(app.database.settings.DATA_DIR, 'backchannel.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    const calling = call();
    setTimeout(() => {
      other.exec('ROLLBACK');
      other.close();
    }, 200);
    return calling;
  };
  await runDuringLock(() => student.call('signUp', credentials));
  await runDuringLock(() => student.call('signIn', credentials));

  await runDuringLock(() =>
    student.call('requestPasswordReset', { body: { email: student.email } }),
  );

  expect(await runDuringLock(() => student.call('signOut', {}))).toEqual({});
});

/** Locks the file repeatedly for a moment. */
const smallCommits = `
  const SQLite = require('better-sqlite3');
  const database = new SQLite(process.env.FILE, { timeout: 5000 });
  const commit = database.transaction(() => {
    database.exec("insert into serverMetadata values ('other', '')");
    database.exec("delete from serverMetadata where name = 'other'");
  });
  commit.immediate();
  console.log('ready');
  setInterval(() => commit.immediate(), 2);
`;
