// PostgreSQL keeps old row versions until a vacuum, so the server vacuums after an erasure.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, enter, newClass, post, startApp, type RunningApp } from './running-app.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** How often each table was vacuumed by a command. */
async function vacuums(): Promise<number> {
  const [row] = await app.database.query(
    "select vacuum_count as n from pg_stat_user_tables where relname = 'messages'",
  );
  return Number(row!['n']);
}

test('the server vacuums the tables soon after an erasure [DELETE-19]', async () => {
  const student = await app.newStudent();
  const classId = await newClass(student);
  const live = await student.connect();
  await enter(live, classId);
  const { id } = await post(live, classId, 'to be taken back');
  // The vacuum of the start.
  await expect.poll(vacuums, { timeout: 40_000, interval: 500 }).toBe(1);
  await ask(live, { type: 'delete', classId, messageId: id });
  await expect.poll(vacuums, { timeout: 90_000, interval: 500 }).toBe(2);
});
