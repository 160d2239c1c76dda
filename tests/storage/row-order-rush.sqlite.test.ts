// How the order of account rows is erased in SQLite while many rows change.
import SQLite, { type Statement } from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRandomId } from '#server/base/random-id.ts';
import { addAccount, openStorage, sessionRecords, type OpenedStorage } from './opened-storage.ts';

const changedCount = 30;

let storage: OpenedStorage;
const prototype = Object.getPrototypeOf(new SQLite(':memory:').prepare('select 1')) as Statement;
const { run } = prototype;
beforeEach(async () => {
  storage = await openStorage();
});
afterEach(async () => {
  prototype.run = run;
  vi.restoreAllMocks();
  await storage.close();
});

/** Adds sessions with random ids in one commit. */
async function addSessions(accountId: string, count: number): Promise<void> {
  await storage.commits.write(async ({ db }) => {
    for (let n = 0; n < count; n++) {
      const session = { accountId, device: '', createdDay: 20_000, endDay: 30_000 };
      await sessionRecords.insert(db, accountId, { id: createRandomId(24), ...session });
    }
  }, 'allAccounts');
}

/** Counts how often neighbors of sessions are copied. */
function countCopies(): { copies: number } {
  const work = { copies: 0 };
  prototype.run = function (this: Statement, ...values: unknown[]) {
    if (/into temp."moved_sessions" select .* where/.test(this.source)) work.copies += 1;
    return run.apply(this, values);
  };
  return work;
}

/** Counts the changed sessions whose neighbors are copied, in each turn of the event loop. */
function countCoveredSessions(): { turns: number[] } {
  const work: { turns: number[] } = { turns: [] };
  let coveredCount = 0;
  prototype.run = function (this: Statement, ...values: unknown[]) {
    // One of the copies of each row has the lower ids.
    const isCopy = this.source.includes('into temp."moved_sessions" select');
    if (isCopy && this.source.includes('("id") <')) {
      if (coveredCount === 0) {
        setImmediate(() => {
          work.turns.push(coveredCount);
          coveredCount = 0;
        });
      }
      coveredCount += 1;
    }
    return run.apply(this, values);
  };
  return work;
}

test('a rush of changes in a large table is rewritten in small parts, between which the server answers [ANON-30]', async () => {
  const accountId = await addAccount(storage);
  await addSessions(accountId, 3000);
  const eraser = storage.startRowOrderEraser(() => true);
  const work = countCoveredSessions();
  let now = performance.now();
  // A run copies for 50 ms.
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 20));

  await addSessions(accountId, changedCount);

  const sum = () => work.turns.reduce((total, count) => total + count, 0);
  await expect.poll(sum, { timeout: 20_000 }).toBe(changedCount);
  await eraser.stop();
  expect(Math.max(...work.turns)).toBeLessThan(changedCount / 4);
});

test('a rush of changes in a small table is rewritten with the whole table [ANON-30]', async () => {
  const accountId = await addAccount(storage);
  await addSessions(accountId, 300);
  const eraser = storage.startRowOrderEraser(() => true);
  const work = countCoveredSessions();

  await addSessions(accountId, changedCount);

  await expect.poll(() => work.turns.length).toBe(1);
  await eraser.stop();
  expect(work.turns).toHaveLength(1);
});

test('a row that only grows is rewritten with the neighbors of its primary key, not with those in each index [ANON-30]', async () => {
  const accountId = await addAccount(storage);
  await addSessions(accountId, 3000);
  const eraser = storage.startRowOrderEraser(() => true);
  const work = countCopies();

  await storage.commits.write(
    ({ db }) =>
      sql`update sessions set push = 'a subscription' where id in (select id from sessions limit ${changedCount})`.execute(
        db,
      ),
    'allAccounts',
  );
  await eraser.stop();

  const copiesOfRow = ['before the row', 'after the row'];
  expect(work.copies).toBe(changedCount * copiesOfRow.length);
});
