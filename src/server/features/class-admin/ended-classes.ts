// Ends and reopens classes. After an end, an operator can reopen the class for some days. Then the links from its personas to
// accounts are removed.
import type { Class } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { getToday } from '#server/base/days.ts';
import { createRandomId } from '#server/base/random-id.ts';
import type { StopSign } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import {
  changeSalt,
  findClass,
  findReopenableUntil,
  listReopenableUntil,
  lockClass,
  markEnded,
  markReopened,
  toClass,
} from '#server/chat/classes/classes-queries.ts';
import { endLecture } from '#server/chat/classes/class-settings.ts';
import { appendToLog } from '#server/chat/messages/log-queries.ts';
import { closeAllPolls } from '#server/chat/polls/polls.ts';
import { deleteClassVotes } from '#server/chat/votes/votes-queries.ts';
import { deletePrivateQuestions } from '#server/chat/private-questions/private-questions-queries.ts';
import { deleteClassQuestions } from '#server/chat/questions/waiting-questions-queries.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { deleteRegisters } from '#server/store/registers.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';

/** @param row a class that is not deleted */
export const isReopenable = (row: { reopenableUntil: number | null }): boolean =>
  row.reopenableUntil !== null && row.reopenableUntil >= getToday();

/** The result of `endClass`. */
export interface EndedClass {
  class: Class;
  /** The last day on which the class can be reopened, in days since 1970; null if its links are removed. */
  reopenableUntil: number | null;
  /** False if the class had already ended like that. */
  isChanged: boolean;
}

/**
 * Ends the class: its members can only read it. Ending it again changes nothing, except that an end without reopening removes
 * the links immediately.
 *
 * @param staffName the operator's name in the audit log, or `administratorName`
 * @param reopenDays for how many days the class can be reopened; 0 removes the links immediately
 * @throws {AppError} NOT_FOUND if the class is missing or deleted
 */
export async function endClass(
  unitOfWork: UnitOfWork,
  classId: string,
  staffName: string,
  reopenDays: number,
): Promise<EndedClass> {
  const { db } = unitOfWork;
  await lockClass(db, classId);
  const row = await findClass(db, classId);
  if (!row) throw new AppError('NOT_FOUND');
  const isFirst = row.status === 'active';
  const hasLinks = isFirst || row.reopenableUntil !== null;
  if (!isFirst && (!hasLinks || reopenDays > 0)) {
    const { reopenableUntil } = row;
    return { class: toClass(row), reopenableUntil, isChanged: false };
  }
  const reopenableUntil = reopenDays > 0 ? getToday() + reopenDays : null;
  if (isFirst) {
    await endLecture(unitOfWork, classId);
    await appendToLog(db, classId, 'class', '');
    await markEnded(db, classId, { endedDay: getToday(), reopenableUntil });
  }
  if (reopenableUntil === null) await removeLinks(unitOfWork, classId);
  await appendChangeEvent(unitOfWork, 'class-ended', classId);
  const reason = isFirst ? '' : 'Its links to accounts are removed';
  await appendAudit(unitOfWork, { staffName, act: 'end-class', classId, reason });
  const endedClass = { ...toClass(row), ended: true };
  if (isFirst) unitOfWork.classChanged(classId, endedClass);
  return { class: endedClass, reopenableUntil, isChanged: true };
}

/**
 * Makes the class what it was before its end. Reopening an active class changes nothing.
 *
 * @param staffName the operator's name in the audit log, or `administratorName`
 * @throws {AppError} NOT_FOUND if the class is missing or deleted, CLASS_ENDED if its time has expired
 */
export async function reopenClass(
  unitOfWork: UnitOfWork,
  classId: string,
  staffName: string,
): Promise<Class> {
  const { db } = unitOfWork;
  await lockClass(db, classId);
  const row = await findClass(db, classId);
  if (!row) throw new AppError('NOT_FOUND');
  if (row.status === 'active') return toClass(row);
  if (!isReopenable(row)) {
    throw new AppError('CLASS_NOT_REOPENABLE');
  }
  await appendToLog(db, classId, 'class', '');
  const reopened = toClass(await markReopened(db, classId));
  await appendChangeEvent(unitOfWork, 'class-changed', classId);
  await appendAudit(unitOfWork, { staffName, act: 'reopen-class', classId, reason: '' });
  unitOfWork.classChanged(classId, reopened);
  return reopened;
}

/**
 * Removes the links of the classes that can no longer be reopened, each in its own commit. An interrupted run continues the
 * next time.
 *
 * @param day the removal day (removal-day.ts)
 * @param stopping stops between two classes
 * @returns the number of classes whose links it removed
 */
export async function removeLinksOfEnded(
  db: Database,
  commits: CommitQueue,
  day: number,
  stopping: StopSign,
): Promise<number> {
  const lastDay = day - 1;
  let removedCount = 0;
  for (const classId of await listReopenableUntil(db, lastDay)) {
    if (stopping.aborted) break;
    removedCount += await commits.write(
      async (unitOfWork) => {
        await lockClass(unitOfWork.db, classId);
        const reopenableUntil = await findReopenableUntil(unitOfWork.db, classId);
        // Meanwhile an operator removed the links, or the class was erased.
        if (reopenableUntil === null || reopenableUntil > lastDay) return 0;
        await removeLinks(unitOfWork, classId);
        // Other servers hold the preferences of its members in memory.
        await appendChangeEvent(unitOfWork, 'class-ended', classId);
        return 1;
      },
      { classId },
    );
  }
  return removedCount;
}

/**
 * Permanently removes every link between the class's personas and accounts by replacing the salt. The messages stay readable,
 * but no one can prove that they wrote one.
 */
async function removeLinks(unitOfWork: UnitOfWork, classId: string): Promise<void> {
  await closeAllPolls(unitOfWork, classId);
  await changeSalt(unitOfWork.db, classId, createRandomId());
  // What members ignored, hid and read could link their accounts to personas.
  await deleteRegisters(unitOfWork.db, classId, ['readMarks', 'preferences', 'prepared']);
  // Without the salt, no member can find their votes and their waiting or private questions again.
  await deleteClassVotes(unitOfWork.db, classId);
  await deleteClassQuestions(unitOfWork.db, classId);
  await deletePrivateQuestions(unitOfWork.db, { classId });
  unitOfWork.contentErased();
}
