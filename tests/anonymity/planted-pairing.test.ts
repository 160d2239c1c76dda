// Proves that the attacks can succeed: here joining writes a row of its own and the persona, as decision 6 describes, and the order
// of rows is not erased.
import { sql } from 'kysely';
import { beforeAll, expect, test, vi } from 'vitest';
import { defaultName } from '#contract/default-name.ts';
import { computeMemberId } from '#server/chat/members/member-ids.ts';
import { loadServerKeys } from '#server/base/server-keys.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { savePersona } from '#server/chat/members/personas-queries.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { attack } from './attack.ts';
import { onPostgres } from './settled.ts';
import { fillSchool, size, type PopulatedClass } from './school.ts';

const secret = vi.hoisted(() => 'a secret for this test alone, of 32 characters');

vi.mock(import('#server/chat/members/joining.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    async joinClass(unitOfWork, dependencies, accountId, classId) {
      const reply = await original.joinClass(unitOfWork, dependencies, accountId, classId);
      await sql`insert into enrollments values (${accountId}, ${classId})`.execute(unitOfWork.db);
      const { salt = '' } = (await findClass(unitOfWork.db, classId)) ?? {};
      const memberId = computeMemberId(loadServerKeys(secret, '').personas, salt, accountId);
      const persona = { memberId, anonymousName: defaultName, icon: memberId };
      await savePersona(unitOfWork.db, classId, persona, null);
      return reply;
    },
  };
});

// It would hide the position of the enrollment.
vi.mock('#server/store/dialects/sqlite-row-order.ts', () => ({
  SqliteRowOrderEraser: class {
    async stop() {}
  },
}));
vi.mock(import('#server/store/dialects/postgres-row-order.ts'), () => ({
  createRowOrderEraser: () => ({ stop: async () => {} }),
}));

const app = setUpApp({ SECRET_KEY: secret });
let classes: PopulatedClass[];
beforeAll(async () => {
  await app.database.query(
    `create table enrollments ("accountId" text, "classId" text, primary key ("accountId", "classId"))
     ${onPostgres ? '' : 'without rowid'}`,
  );
  classes = await fillSchool(app, true);
});

const countBestHits = async (populatedClass: PopulatedClass) =>
  Math.max(...(await attack(app, populatedClass)).values());

test.each(['while the server runs', 'after a clean stop'])(
  'a persona that is written on joining is paired with its account %s [ANON-21]',
  async (stage) => {
    if (stage === 'after a clean stop') await app.restart();

    for (const populatedClass of classes) {
      expect(await countBestHits(populatedClass)).toBeGreaterThan(size / 2);
    }
  },
);

test('the attack finds two rows with a common value [ANON-21]', async () => {
  const [firstClass] = classes as [PopulatedClass];
  const [pair = []] = firstClass.truth;
  await app.database.query('create table planted ("a" text, "b" text)');

  for (const id of pair) {
    await app.database.query(`insert into planted values ('${id}', 'a value of both')`);
  }

  expect((await attack(app, firstClass)).get('values that two rows share')).toBe(1);
});
