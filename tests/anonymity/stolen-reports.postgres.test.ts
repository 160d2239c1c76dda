// A copy of PostgreSQL's tables must not tell when members reported, read or chose: messages of that moment have times and personas.
import { expect, test } from 'vitest';
import { listTables } from '#server/store/tables.ts';
import { report } from '#tests/support/moderation.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

test('no row tells in which transaction it was written [ANON-57, MOD-27]', async () => {
  const author = await app.createStudent();
  const classIds = [await author.createClass(), await author.createClass({ courseNumber: '7' })];
  for (let n = 0; n < 3; n++) {
    const member = await app.createStudent();
    for (const classId of classIds) {
      await member.join(classId);
      const { id } = await author.post(classId, `reported ${n}`);
      await member.post(classId, 'Some words');
      await report(member, classId, { messageId: id, text: 'Look' });
      const body = { ignored: [], hidden: [id], muted: false, version: 0 };
      await member.call('savePreferences', { params: { classId }, body });
    }
    // The server writes the read marks when it stops.
    await app.restart();
  }

  const countTransactions = async (table: string) => {
    const [longTable] = await app.database.query(
      `select reltoastrelid::regclass::text as name from pg_class where oid = '"${table}"'::regclass`,
    );
    const values = await app.database.query(
      `select distinct xmin::text from ${String(longTable!['name'])}`,
    );
    const rows = await app.database.query(`select distinct xmin::text from "${table}"`);
    return [rows.length, values.length];
  };
  for (const { table } of listTables('rewrittenColumn')) {
    const isErased = async () => (await countTransactions(table)).every((count) => count <= 1);
    await expect.poll(isErased, { timeout: 30_000, message: table }).toBe(true);
  }
  expect(await countTransactions('registers')).toEqual([1, 1]);
  expect(await countTransactions('reports')).toEqual([1, 1]);
});
