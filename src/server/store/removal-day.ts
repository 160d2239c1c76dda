// The day by which removals decide what is due. A machine can start with a wrong clock, and erased data does not come back when
// the clock is right again. So this day is stored, and follows the clock in slow steps.
import { getToday } from '#server/base/days.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { Database } from './tables.ts';
import { insertMetadataOnce, findMetadata, writeMetadata } from './server-metadata-queries.ts';

const metadataName = 'lastSeenDay';
/** 1 January 2026: a clock that shows an earlier day is wrong. */
const firstDay = 20_454;
/**
 * While the clock is ahead, the day rises by one in this time, so a clock that is wrong for a day erases at most four days early.
 */
const catchUpMs = 6 * 60 * 60_000; // RETAIN-7

/**
 * @returns a function that gets the day, in days since 1970: today, or an earlier day while the clock is ahead of the stored day
 */
export function createRemovalDay({
  db,
  commits,
}: {
  db: Database;
  commits: CommitQueue;
}): () => Promise<number> {
  /** When the clock was first found to be ahead, by the monotonic clock; null if it is not. */
  let aheadSince: number | null = null;
  /** When a database in use was first found to have no stored day, by the monotonic clock; null if it has one. */
  let unknownSince: number | null = null;

  /**
   * Tells whether the clock can be trusted without a stored day. In a new database it can, because there is nothing to erase. In
   * another database it can after some hours.
   */
  async function canTrustClock(): Promise<boolean> {
    const account = await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst();
    if (!account) return true;
    unknownSince ??= performance.now();
    return performance.now() - unknownSince >= catchUpMs;
  }

  /** Tells whether the stored day has to rise by one. */
  function hasToAdvance(lastSeenDay: number, day: number): boolean {
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
      if (!(await canTrustClock())) return firstDay;
      await commits.write(
        (unitOfWork) => insertMetadataOnce(unitOfWork.db, metadataName, String(day)),
        'independent',
      );
      return day;
    }
    let lastSeenDay = Number(storedDay);
    if (hasToAdvance(lastSeenDay, day)) {
      lastSeenDay += 1;
      await commits.write(
        (unitOfWork) => writeMetadata(unitOfWork.db, metadataName, String(lastSeenDay)),
        'independent',
      );
    }
    return Math.min(day, lastSeenDay);
  };
}
