// A deleted class can be restored for a while; then all that it held is erased.
import type { Class } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { CommitQueue, UnitOfWork } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import { findClass, toClass } from '../storage/queries/classes.ts';
import {
  deleteClassRow,
  deleteSomeRows,
  listClassesDeletedBy,
  markRestored,
  withdrawImagesOf,
} from '../storage/queries/deleted-classes.ts';
import { appendToLog } from '../storage/queries/log.ts';
import { appendRevocation } from '../storage/queries/revocations.ts';
import { today } from './today.ts';

export const restorableDays = 30; // ADMIN-11

/** Restoring ends where erasing begins: no class is restored in part. */
const lastErasedDay = () => today() - restorableDays - 1;

/**
 * Its members have it again, with its messages, their personas and whether it had ended.
 *
 * @throws {AppError} NOT_FOUND for a class that is not deleted, or whose time is over
 */
export async function restoreClass(write: UnitOfWork, classId: string): Promise<Class> {
  const { db } = write;
  if (!(await markRestored(db, classId, lastErasedDay()))) throw new AppError('NOT_FOUND');
  await appendToLog(db, classId, 'class', '');
  const found = await findClass(db, classId);
  if (!found) throw new AppError('NOT_FOUND');
  await appendRevocation(db, 'class-restored', classId);
  const restored = toClass(found);
  write.classChanged(classId, restored);
  return restored;
}

/** So many rows go in one commit: none keeps others waiting for long. */
const rowsPerCommit = 200;

/**
 * Erases what was deleted too long ago. If it is interrupted, it goes on the next time; a class whose
 * pictures are still being deleted keeps its row until then.
 *
 * @param stopping ends it between two commits
 */
export async function eraseDeletedClasses(
  db: Database,
  commits: CommitQueue,
  stopping: AbortSignal,
): Promise<void> {
  for (const classId of await listClassesDeletedBy(db, lastErasedDay())) {
    let left = true;
    while (left) {
      if (stopping.aborted) return;
      left = await commits.write((write) => eraseSome(write, classId));
    }
  }
}

/** @returns whether there is more to do at once */
async function eraseSome(write: UnitOfWork, classId: string): Promise<boolean> {
  write.erases();
  if (await deleteSomeRows(write.db, classId, rowsPerCommit)) return true;
  if (!(await withdrawImagesOf(write.db, classId))) await deleteClassRow(write.db, classId);
  return false;
}
