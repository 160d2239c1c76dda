// A copy of PostgreSQL's tables must not tell when members reported: messages of that moment have times and personas.
import { expect, test } from 'vitest';
import { report } from '#tests/support/moderation.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

test('transactions of cases and reports tell no moment of a report [MOD-27]', async () => {
  const author = await app.newStudent();
  const classId = await author.createClass();
  for (let n = 0; n < 3; n++) {
    const member = await app.newStudent();
    await member.join(classId);
    const { id } = await author.post(classId, `reported ${n}`);
    await report(member, classId, { messageId: id });
    await member.post(classId, `right after report ${n}`);
  }
  const writtenBefore = async (table: string) =>
    Number(
      (
        await app.database.query(
          `select count(*) as n from "${table}" where xmin::text::bigint <
             (select max(xmin::text::bigint) from messages where "classId" = '${classId}')`,
        )
      )[0]?.['n'],
    );
  for (const table of ['cases', 'reports']) {
    await expect.poll(() => writtenBefore(table), { timeout: 30_000 }).toBe(0);
  }
});
