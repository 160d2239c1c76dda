// How the order of account rows is erased in SQLite while many rows change.
import SQLite, { type Statement } from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRandomId } from '#server/base/random-id.ts';
import { addAccount, openStorage, type OpenedStorage } from './opened-storage.ts';

const sessionCount = 100;

let storage: OpenedStorage;
const prototype = Object.getPrototypeOf(new SQLite(':memory:').prepare('select 1')) as Statement;
const { run } = prototype;
beforeEach(async () => {
  storage = await openStorage();
});
afterEach(async () => {
  prototype.run = run;
  await storage.close();
});

/** Counts the changed sessions whose neighbors are copied, in each turn of the event loop. */
function countCopiedRows(): { turns: number[] } {
  const work: { turns: number[] } = { turns: [] };
  let copyCount = 0;
  prototype.run = function (this: Statement, ...values: unknown[]) {
    // The first of the copies of each row has the lowest ids.
    if (
      this.source.includes('into temp."moved_sessions" select') &&
      this.source.includes('("id") <')
    ) {
      if (copyCount === 0) {
        setImmediate(() => {
          work.turns.push(copyCount);
          copyCount = 0;
        });
      }
      copyCount += 1;
    }
    return run.apply(this, values);
  };
  return work;
}

test('a rush of changes is rewritten in small parts, between which the server answers [ANON-30]', async () => {
  const accountId = await addAccount(storage);
  const eraser = storage.startRowOrderEraser(() => true);
  const work = countCopiedRows();
  const day = '2030-01-01T00:00:00.000Z';

  await storage.commits.write(async ({ db }) => {
    for (let n = 0; n < sessionCount; n++) {
      await db
        .insertInto('sessions')
        .values({
          id: createRandomId(24),
          token: createRandomId(24),
          device: null,
          userId: accountId,
          times: null,
          createdAt: day,
          updatedAt: day,
          expiresAt: day,
        })
        .execute();
    }
  }, 'allAccounts');

  await expect.poll(() => work.turns.reduce((sum, count) => sum + count, 0)).toBe(sessionCount);
  await eraser.stop();
  expect(Math.max(...work.turns)).toBeLessThan(sessionCount / 4);
});
