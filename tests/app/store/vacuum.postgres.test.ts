// PostgreSQL keeps old row versions until a vacuum, so the server vacuums after an erasure.
import { expect, test } from 'vitest';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

/** Counts how often a command vacuumed each table. */
async function countVacuums(): Promise<number> {
  const [row] = await app.database.query(
    "select vacuum_count as n from pg_stat_user_tables where relname = 'messages'",
  );
  return Number(row!['n']);
}

/** The values of texts that the statistics of the planner have. */
async function loadStatistics(): Promise<string> {
  const [row] = await app.database.query(
    `select histogram_bounds::text as bounds from pg_stats where tablename = 'messages' and attname = 'text'`,
  );
  return String(row?.['bounds']);
}

test('the server vacuums and analyzes the tables soon after an erasure [DELETE-19]', async () => {
  const student = await app.createStudent();
  const classId = await student.createClass();
  const socket = await student.connectTo(classId);
  for (const text of ['first', 'last']) await socket.post(classId, text);

  const { id } = await socket.post(classId, 'to be taken back');
  // The vacuum of the start.
  await expect.poll(countVacuums, { timeout: 40_000, interval: 500 }).toBe(1);

  // As PostgreSQL does after many changes.
  await app.database.query('analyze messages');
  expect(await loadStatistics()).toContain('to be taken back');

  await socket.request({ type: 'delete', classId, messageId: id });

  await expect.poll(countVacuums, { timeout: 90_000, interval: 500 }).toBe(2);
  await expect.poll(loadStatistics).not.toContain('to be taken back');
  expect(await loadStatistics()).toContain('first');
});
