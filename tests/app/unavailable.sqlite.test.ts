// Another program holds the database's write lock, so nothing can be saved for a while.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  enter,
  joinClass,
  newClass,
  password,
  post,
  startApp,
  type RunningApp,
} from './running-app.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('a message that cannot be saved is refused with a retry time, and the retry succeeds [ERROR-6, LOG-17]', async () => {
  const student = await app.newStudent();
  const classId = await newClass(student);
  const live = await student.connect();
  await enter(live, classId);
  const other = new SQLite(join(app.database.settings.DATA_DIR, 'backchannel.sqlite'));
  other.exec('BEGIN IMMEDIATE');
  const refused = await post(live, classId, 'patience');
  other.exec('ROLLBACK');
  other.close();
  expect(refused).toMatchObject({
    code: 'UNAVAILABLE',
    message: 'The server cannot save anything right now. Please try again.',
  });
  expect(refused).toHaveProperty('retryAfterMs', expect.any(Number));
  expect(await post(live, classId, 'patience', refused.id)).toMatchObject({ type: 'ack' });
});

test('no message is refused because of another program’s short commits [LOG-21]', async () => {
  const students = [await app.newStudent(), await app.newStudent(), await app.newStudent()];
  const classId = await newClass(students[0]!);
  for (const student of students.slice(1)) await joinClass(student, classId);
  const lives = await Promise.all(students.map((student) => student.connect()));
  const other = spawn(process.execPath, ['-e', smallCommits], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { FILE: join(app.database.settings.DATA_DIR, 'backchannel.sqlite') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(other.stdout, 'data');
  const answers = await Promise.all(
    lives.map(async (live) => {
      const refused = [];
      for (let i = 0; i < 300; i++) {
        const answer = await post(live, classId, `message ${i}`);
        if (answer.type === 'nack') refused.push(answer);
      }
      return refused;
    }),
  );
  other.kill();
  await once(other, 'close');
  expect(answers).toEqual([[], [], []]);
});

test('sign-up, sign-in and sign-out wait while another program briefly locks the file [LOG-21]', async () => {
  const student = app.visitor();
  const credentials = { body: { email: student.email, password } };
  const beside = async (call: () => Promise<unknown>) => {
    const other = new SQLite(join(app.database.settings.DATA_DIR, 'backchannel.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    const calling = call();
    setTimeout(() => {
      other.exec('ROLLBACK');
      other.close();
    }, 200);
    return calling;
  };
  await beside(() => student.call('signUp', credentials));
  await beside(() => student.call('signIn', credentials));
  await beside(() => student.call('requestPasswordReset', { body: { email: student.email } }));
  expect(await beside(() => student.call('signOut', {}))).toEqual({});
});

/** Locks the file repeatedly for a moment. */
const smallCommits = `
  const SQLite = require('better-sqlite3');
  const database = new SQLite(process.env.FILE, { timeout: 5000 });
  const commit = database.transaction(() => {
    database.exec("insert into facts values ('other', '')");
    database.exec("delete from facts where name = 'other'");
  });
  commit.immediate();
  console.log('ready');
  setInterval(() => commit.immediate(), 2);
`;
