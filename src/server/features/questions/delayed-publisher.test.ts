import { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { createLog } from '#server/base/log.ts';
import type { BackgroundLease } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import { createSqliteDialect, openSqlite } from '#server/store/dialects/sqlite.ts';
import { migrate } from '#server/store/migrations.ts';
import type { Tables } from '#server/store/tables.ts';
import { DelayedPublisher } from './delayed-publisher.ts';

test('a server searches for unpublished votes once, and again when it has taken the lease [QUEST-7]', async () => {
  let queryCount = 0;
  const db = new Kysely<Tables>({
    dialect: createSqliteDialect(openSqlite(':memory:')),
    log: () => void queryCount++,
  });
  await migrate(db, 'sqlite');
  let isHeld = true;
  const publisher = new DelayedPublisher({
    db,
    commits: {} as CommitQueue,
    lease: { isHeld: () => isHeld } as BackgroundLease,
    log: createLog({ write: () => {} }),
  });
  /** @returns the number of queries in an interval of the search */
  async function runInterval(): Promise<number> {
    queryCount = 0;
    const stop = publisher.start();
    await stop();
    return queryCount;
  }

  expect(await runInterval()).toBeGreaterThan(0);
  expect(await runInterval()).toBe(0);
  isHeld = false;
  expect(await runInterval()).toBe(0);
  isHeld = true;
  expect(await runInterval()).toBeGreaterThan(0);
  publisher.searchAgain();
  expect(await runInterval()).toBeGreaterThan(0);

  await db.destroy();
});
