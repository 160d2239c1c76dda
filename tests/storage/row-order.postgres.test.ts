// PostgreSQL's rows are rewritten to erase their order. This must not lose, duplicate or change a row.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog } from '#server/base/log.ts';
import { changeMembers, listMembers } from '#server/chat/members/memberships.ts';
import { createRowOrderEraser } from '#server/store/dialects/postgres-row-order.ts';
import {
  addAccount,
  addClass,
  addSession,
  openStorage,
  enroll,
  type OpenedStorage,
} from './opened-storage.ts';

let storage: OpenedStorage;
beforeEach(async () => {
  storage = await openStorage();
});
afterEach(() => storage.close());

const startEraser = () =>
  createRowOrderEraser(storage.db, () => true, createLog({ write: () => {} }));

async function listByPlace(): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from accounts order by xmin::text::bigint, ctid`.execute(storage.db);
  return rows.map(({ id }) => id);
}

test('each table loses its order, even if another one cannot be rewritten [ANON-28]', async () => {
  const accounts: string[] = [];
  for (let n = 0; n < 40; n++) accounts.push(await addAccount(storage));
  const classId = await addClass(storage);
  const [account = ''] = accounts;
  await storage.commits.write((unitOfWork) => enroll(unitOfWork, account, classId), 'everything');
  await sql`
    create function reject() returns trigger language plpgsql as
    $$ begin raise exception using errcode = '57014'; end $$`.execute(storage.db);

  await sql`create trigger rejected before update on registers execute function reject()`.execute(
    storage.db,
  );
  expect(await listByPlace()).toEqual(accounts);

  const eraser = startEraser();

  await expect.poll(listByPlace, { timeout: 20_000 }).not.toEqual(accounts);

  await eraser.stop();
});

test('rows that change during a rewrite end in their final state [ANON-28]', async () => {
  const classId = await addClass(storage);
  const eraser = startEraser();
  const { db, commits } = storage;
  const signedIn = new Set<string>();
  const enrolled = new Set<string>();
  const endsAt = performance.now() + 4_000;
  async function joinAndLeave(n: number): Promise<void> {
    const account = await addAccount(storage);
    const session = await addSession(storage, account);
    const other = await addSession(storage, account);
    await commits.write((unitOfWork) => enroll(unitOfWork, account, classId), 'everything');
    await db.updateTable('sessions').set({ push: 'changed' }).where('id', '=', session).execute();
    await db.deleteFrom('sessions').where('id', '=', other).execute();
    signedIn.add(session);
    if (n % 2 === 0) enrolled.add(account);
    else {
      await commits.write(
        (unitOfWork) => changeMembers(unitOfWork, classId, (members) => members.delete(account)),
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
  const members = await listMembers(storage, classId);

  expect(new Set(sessions.map(({ id }) => id))).toEqual(signedIn);
  expect(sessions.every(({ push }) => push === 'changed')).toBe(true);
  expect(new Set(members.keys())).toEqual(enrolled);
  expect(enrolled.size).toBeGreaterThan(8);
});
