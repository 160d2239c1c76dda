// Ends all classes of a term.
import type { Term } from '#server/config/term.ts';
import { administratorName } from '#server/chat/staff/audit-log.ts';
import { toDate, toDay, formatDay } from '#server/base/days.ts';
import type { StopSign } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import { findClass, listClassesOfTerm } from '#server/chat/classes/classes-queries.ts';
import { endClass } from './ended-classes.ts';

/** Lists the ids of the classes that `endTerm` would end. */
export function listClassesToEnd(
  db: Database,
  { season, lastDay }: Term,
  timeZone: string,
): Promise<string[]> {
  const lastDate = Temporal.PlainDate.from(formatDay(toDate(lastDay)));
  const end = lastDate.add({ days: 1 }).toZonedDateTime(timeZone).epochMilliseconds;
  // Classes store the UTC day of their creation. West of Greenwich, the evening of the last day is already the next UTC day.
  const createdUntil = toDay(new Date(end - 1));
  return listClassesOfTerm(db, { season, year: lastDate.year, createdUntil });
}

/**
 * Ends one class per commit. A class that has ended or was deleted in the meantime stays as it is, so an interrupted run
 * can be repeated.
 *
 * @param options.reopenDays for how many days the classes can be reopened
 * @param stopping stops between two classes
 * @returns the number of classes that were ended
 */
export async function endTerm(
  { db, commits }: { db: Database; commits: CommitQueue },
  term: Term,
  options: { reopenDays: number; timeZone: string },
  stopping: StopSign,
): Promise<number> {
  const { reopenDays, timeZone } = options;
  let endedCount = 0;
  for (const classId of await listClassesToEnd(db, term, timeZone)) {
    if (stopping.aborted) break;
    const isEnded = await commits.write(
      async (unitOfWork) => {
        const row = await findClass(unitOfWork.db, classId);
        if (row?.status !== 'active') return false;
        await endClass(unitOfWork, classId, administratorName, reopenDays);
        return true;
      },
      { classId },
    );
    if (isEnded) endedCount += 1;
  }
  return endedCount;
}
