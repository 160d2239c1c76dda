// PostgreSQL keeps old row versions until a vacuum, so the server vacuums after an erasure.
import { expect, test } from 'vitest';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

/** How often each table was vacuumed by a command. */
async function vacuums(): Promise<number> {
  const [row] = await app.database.query(
    "select vacuum_count as n from pg_stat_user_tables where relname = 'messages'",
  );
  return Number(row!['n']);
}

test('the server vacuums the tables soon after an erasure [DELETE-19]', async () => {
  const student = await app.newStudent();
  const classId = await student.createClass();
  const socket = await student.connectTo(classId);
  const { id } = await socket.post(classId, 'to be taken back');
  // The vacuum of the start.
  await expect.poll(vacuums, { timeout: 40_000, interval: 500 }).toBe(1);
  await socket.request({ type: 'delete', classId, messageId: id });
  await expect.poll(vacuums, { timeout: 90_000, interval: 500 }).toBe(2);
});
