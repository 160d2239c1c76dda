// Ends all classes of a term.
import type { SemesterSeason } from '#contract/class-fields.ts';
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import { findClass, listClassesOfTerm } from '../storage/queries/classes.ts';
import { endClass } from './ended-classes.ts';

export interface Term {
  season: SemesterSeason;
  /** In days since 1970. A class that is created later, or has a later year, belongs to the next term of this season. */
  lastDay: number;
}

/** The ids of the classes that `endTerm` would end. */
export function previewTermEnd(db: Database, { season, lastDay }: Term): Promise<string[]> {
  return listClassesOfTerm(db, season, lastDay);
}

/**
 * Ends one class per commit. A class that has ended or was deleted in the meantime stays as it is, so an interrupted run
 * can be repeated.
 *
 * @param reopenDays for how many days they can be reopened
 * @param stopping stops between two classes
 * @returns how many classes it ended
 */
export async function endTerm(
  { db, commits }: { db: Database; commits: CommitQueue },
  term: Term,
  reopenDays: number,
  stopping: AbortSignal,
): Promise<number> {
  let ended = 0;
  for (const classId of await previewTermEnd(db, term)) {
    if (stopping.aborted) break;
    const isEnded = await commits.write(async (unitOfWork) => {
      const found = await findClass(unitOfWork.db, classId);
      if (found?.status !== 'active') return false;
      await endClass(unitOfWork, classId, '', reopenDays);
      return true;
    });
    if (isEnded) ended += 1;
  }
  return ended;
}
