// Restores deleted classes for a limited time, then erases them.
import type { Class } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { getToday } from '#server/base/days.ts';
import type { StopSign } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import { findClass, toClass } from '#server/chat/classes/classes-queries.ts';
import {
  deleteClassRow,
  deleteSomeRows,
  listClassesDeletedBy,
  markRestored,
  markImagesDeleted,
} from './deleted-classes-queries.ts';
import { appendToLog } from '#server/chat/messages/log-queries.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import { deleteRoles } from '#server/chat/staff/stored-roles.ts';

export const restorableDays = 30; // ADMIN-11

/** Classes that were deleted on or before this day are erased. They cannot be restored, even in part. */
export const getLastErasedDay = (day = getToday()) => day - restorableDays - 1;

/**
 * Restores the class with its members, messages, personas and previous status.
 *
 * @param staffName the operator's name in the audit log, or `administratorName`
 * @throws {AppError} NOT_FOUND if the class is not deleted or its time has expired
 */
export async function restoreClass(
  unitOfWork: UnitOfWork,
  classId: string,
  staffName: string,
): Promise<Class> {
  const { db } = unitOfWork;
  if (!(await markRestored(db, classId, getLastErasedDay()))) throw new AppError('NOT_FOUND');
  await appendToLog(db, classId, 'class', '');
  const row = await findClass(db, classId);
  if (!row) throw new AppError('NOT_FOUND');
  await appendChangeEvent(unitOfWork, 'class-restored', classId);
  await appendAudit(unitOfWork, { staffName, act: 'restore-class', classId, reason: '' });
  const restored = toClass(row);
  unitOfWork.classChanged(classId, restored);
  return restored;
}

/** Rows per commit: small, so that other writes do not wait long. */
const rowsPerCommit = 200;

/**
 * Erases expired classes. An interrupted run continues the next time. A class keeps its row until its
 * pictures are deleted.
 *
 * @param day the removal day (removal-day.ts)
 * @param stopping stops between two commits
 */
export async function eraseDeletedClasses(
  { db, commits }: { db: Database; commits: CommitQueue },
  day: number,
  stopping: StopSign,
): Promise<void> {
  for (const classId of await listClassesDeletedBy(db, getLastErasedDay(day))) {
    let hasMore = true;
    while (hasMore) {
      if (stopping.aborted) return;
      hasMore = await commits.write((unitOfWork) => eraseSome(unitOfWork, classId), { classId });
    }
  }
}

/** @returns whether to continue immediately */
async function eraseSome(unitOfWork: UnitOfWork, classId: string): Promise<boolean> {
  unitOfWork.contentErased();
  if (await deleteSomeRows(unitOfWork.db, classId, rowsPerCommit)) return true;
  await deleteRoles(unitOfWork, (held) => held.classId === classId);
  // The suspensions of an erased class have ended.
  await appendChangeEvent(unitOfWork, 'suspensions-changed');
  if (!(await markImagesDeleted(unitOfWork.db, classId))) {
    await deleteClassRow(unitOfWork.db, classId);
  }
  return false;
}
