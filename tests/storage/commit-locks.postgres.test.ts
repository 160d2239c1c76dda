// Commits of several nodes follow each other as those of one server do.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import { appendToLog } from '#server/chat/messages/log-queries.ts';
import { addClass, openStorage, type OpenedStorage } from './opened-storage.ts';

let firstServer: OpenedStorage;
let secondServer: OpenedStorage;
beforeAll(async () => {
  firstServer = await openStorage();
  secondServer = await openStorage(firstServer.database);
});
afterAll(async () => {
  await secondServer.close();
  await firstServer.close();
});

test('batches of the same classes in opposite order do not block each other [LOG-86]', async () => {
  const classIds = await Promise.all(Array.from({ length: 12 }, () => addClass(firstServer)));
  const append = ({ commits }: OpenedStorage, classId: string) =>
    commits.write(({ db }) => appendToLog(db, classId, 'deleted', 'x'), { classId });

  for (let round = 0; round < 20; round++) {
    await Promise.all([
      ...classIds.map((classId) => append(firstServer, classId)),
      ...classIds.toReversed().map((classId) => append(secondServer, classId)),
    ]);
  }

  expect(firstServer.retries() + secondServer.retries()).toBe(0);
});

/** Depends on what it has read, as most rules do. */
async function countUp(db: DatabaseTransaction, classId: string): Promise<void> {
  const { memberCount } = await db
    .selectFrom('classes')
    .select('memberCount')
    .where('classId', '=', classId)
    .executeTakeFirstOrThrow();
  await sql`select pg_sleep(0.005)`.execute(db);
  const values = { memberCount: memberCount + 1 };
  await db.updateTable('classes').set(values).where('classId', '=', classId).execute();
}

test.each([
  ['changes of one class', [true, true]],
  ['a change of a class and one of any', [true, false]],
  ['changes of any class', [false, false]],
] as const)('%s see each other’s results [LOG-86]', async (_, isNarrow) => {
  const classId = await addClass(firstServer);
  for (let round = 0; round < 20; round++) {
    await Promise.all(
      [firstServer, secondServer].map(({ commits }, n) =>
        commits.write(({ db }) => countUp(db, classId), isNarrow[n] ? { classId } : 'everything'),
      ),
    );
  }

  const [row] = await firstServer.database.query(
    `select "memberCount" as count from classes where "classId" = '${classId}'`,
  );

  expect(row).toEqual({ count: 40 });
});

test('changes of different classes run side by side [LOG-86]', async () => {
  const first = await addClass(firstServer);
  const second = await addClass(firstServer);
  let end = () => {};
  let reportBegin = () => {};
  const hasBegun = new Promise<void>((resolve) => (reportBegin = resolve));
  const slow = firstServer.commits.write(
    async () => {
      reportBegin();
      await new Promise<void>((resolve) => (end = resolve));
    },
    { classId: first },
  );

  await hasBegun;

  const simultaneous = secondServer.commits.write(
    ({ db }) => appendToLog(db, second, 'deleted', 'x'),
    {
      classId: second,
    },
  );
  await expect(simultaneous).resolves.toMatchObject({ seq: 1 });

  end();
  await slow;
});
