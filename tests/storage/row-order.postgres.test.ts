// The order of a table's rows is erased, whatever happens to another table.
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  addAccount,
  addClass,
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
  await storage.commits.write(
    (unitOfWork) => enroll(unitOfWork, testKeys.personas, account, classId),
    'everything',
  );
  await sql`
    create function reject() returns trigger language plpgsql as
    $$ begin raise exception using errcode = '57014'; end $$`.execute(storage.db);

  await sql`create trigger rejected before update on registers execute function reject()`.execute(
    storage.db,
  );
  expect(await listByPlace()).toEqual(accounts);

  const eraser = storage.startRowOrderEraser(() => true);

  await expect.poll(listByPlace, { timeout: 20_000 }).not.toEqual(accounts);

  await eraser.stop();
});
