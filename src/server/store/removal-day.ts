// The day by which removals judge what is due. A machine can start with a wrong clock, and what is erased does not come back when
// the clock is right again. So this day follows the clock in steps, and its row survives restarts.
import { getToday } from '#server/base/days.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { Database } from './tables.ts';
import { insertMetadataOnce, findMetadata, writeMetadata } from './server-metadata-queries.ts';

const metadataName = 'lastSeenDay';
/** 1 January 2026: a clock that shows an earlier day is wrong. */
const firstDay = 20_454;
/** While the clock is ahead, the day rises by one in this time: a clock that is wrong for a day erases four days early at most. */
const catchUpMs = 6 * 60 * 60_000; // RETAIN-7

/** @returns a function that finds the day, in days since 1970: today, or an earlier one while the clock is ahead of what the server has seen */
export function createRemovalDay({
  db,
  commits,
}: {
  db: Database;
  commits: CommitQueue;
}): () => Promise<number> {
  /** Since when the clock has been ahead, by the monotonic clock. */
  let aheadSince: number | null = null;
  /** Since when a database in use has had no stored day, by the monotonic clock. */
  let unknownSince: number | null = null;

  /** A wrong clock is usually set right within minutes after a start. A new database has nothing to erase. */
  async function mayTrustFirst(): Promise<boolean> {
    const account = await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst();
    if (!account) return true;
    unknownSince ??= performance.now();
    return performance.now() - unknownSince >= catchUpMs;
  }

  function isOneDayLater(lastSeenDay: number, day: number): boolean {
    if (day <= lastSeenDay + 1) {
      aheadSince = null;
      return day > lastSeenDay;
    }
    aheadSince ??= performance.now();
    if (performance.now() - aheadSince < catchUpMs) return false;
    aheadSince = null;
    return true;
  }

  return async () => {
    const day = getToday();
    if (day < firstDay) return day;
    const storedDay = await findMetadata(db, metadataName);
    if (storedDay === null) {
      if (!(await mayTrustFirst())) return firstDay;
      await commits.write((tx) => insertMetadataOnce(tx.db, metadataName, String(day)), 'nothing');
      return day;
    }
    let lastSeenDay = Number(storedDay);
    if (isOneDayLater(lastSeenDay, day)) {
      lastSeenDay += 1;
      await commits.write(
        (tx) => writeMetadata(tx.db, metadataName, String(lastSeenDay)),
        'nothing',
      );
    }
    return Math.min(day, lastSeenDay);
  };
}
