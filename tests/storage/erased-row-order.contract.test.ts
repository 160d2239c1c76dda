// The server rewrites rows to erase their order. This must not lose, duplicate or change a row.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accountTables } from '#server/store/tables.ts';
import { changeMembers, listMembers } from '#server/chat/members/memberships.ts';
import {
  addAccount,
  addClass,
  addSession,
  openStorage,
  enroll,
  testKeys,
  type OpenedStorage,
} from './opened-storage.ts';

let storage: OpenedStorage;
beforeEach(async () => {
  storage = await openStorage();
});
afterEach(() => storage.close());

/** All rows of the account tables as sorted text. */
async function listRows({ database }: OpenedStorage): Promise<string[]> {
  const tables = await database.tables();
  return accountTables
    .flatMap((name) => tables[name]?.map((row) => `${name} ${JSON.stringify(row)}`) ?? [])
    .toSorted();
}

test('a rewrite of a table keeps all rows [ANON-30]', async () => {
  const classId = await addClass(storage);
  for (let n = 0; n < 300; n++) {
    const account = await addAccount(storage);
    await addSession(storage, account);
    await storage.commits.write(
      (unitOfWork) => enroll(unitOfWork, testKeys.personas, account, classId),
      'everything',
    );
  }
  const rowsBefore = await listRows(storage);
  const eraser = storage.startRowOrderEraser(() => true);

  await eraser.stop();

  expect(await listRows(storage)).toEqual(rowsBefore);
});

test('rows that change during a rewrite end in their final state [ANON-30]', async () => {
  const classId = await addClass(storage);
  const eraser = storage.startRowOrderEraser(() => true);
  const { db, commits } = storage;
  const signedIn = new Set<string>();
  const enrolled = new Set<string>();
  const endsAt = performance.now() + 4_000;
  async function joinAndLeave(n: number): Promise<void> {
    const account = await addAccount(storage);
    const session = await addSession(storage, account);
    const other = await addSession(storage, account);
    await commits.write(
      (unitOfWork) => enroll(unitOfWork, testKeys.personas, account, classId),
      'everything',
    );
    await db.updateTable('sessions').set({ push: 'changed' }).where('id', '=', session).execute();
    await db.deleteFrom('sessions').where('id', '=', other).execute();
    signedIn.add(session);
    if (n % 2 === 0) enrolled.add(account);
    else {
      await commits.write(
        (unitOfWork) =>
          changeMembers(unitOfWork.db, testKeys.personas, classId, (members) =>
            members.delete(account),
          ),
        'everything',
      );
    }
  }
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let n = 0; performance.now() < endsAt; n++) {
        await joinAndLeave(n);
        await sleep(5);
      }
    }),
  );
  await eraser.stop();

  const { sessions = [] } = await storage.database.tables();
  const members = await listMembers(storage.db, testKeys.personas, classId);

  expect(new Set(sessions.map(({ id }) => id))).toEqual(signedIn);
  expect(sessions.every(({ push }) => push === 'changed')).toBe(true);
  expect(new Set(members.keys())).toEqual(enrolled);
  expect(enrolled.size).toBeGreaterThan(8);
});
