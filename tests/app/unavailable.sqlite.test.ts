// Nothing can be saved for a while: another program holds the database's write lock.
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enter, newClass, post, startApp, type RunningApp } from './running-app.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('a message that cannot be saved is refused with a time to try again, and saved then [ERROR-6, LOG-17]', async () => {
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
