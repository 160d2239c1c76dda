// Creates, reads, lists, ends and deletes classes.
import { classFieldsError, type ClassFields } from '#contract/class-fields.ts';
import { compareClasses } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { UnitOfWork } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import {
  findClass,
  insertClass,
  listClassesOf,
  markDeleted,
  markEnded,
  toClass,
} from '../storage/queries/classes.ts';
import { isEnrolled } from '../storage/queries/enrolments.ts';
import { appendToLog } from '../storage/queries/log.ts';
import { appendRevocation } from '../storage/queries/revocations.ts';
import { joinClass } from './membership.ts';
import { randomId } from '../random-id.ts';
import { today } from './today.ts';

/**
 * Creates a class with its creator as the first member.
 *
 * @throws {AppError} CLASS_INCOMPLETE, CLASS_TIMES
 */
export async function createClass(
  write: UnitOfWork,
  accountId: string,
  fields: ClassFields,
): Promise<Class> {
  const error = classFieldsError(fields);
  if (error) throw new AppError(error);
  const classId = randomId();
  await insertClass(write.db, {
    classId,
    seq: 0,
    ordinal: 0,
    salt: randomId(),
    status: 'active',
    name: null,
    courseName: fields.courseName.trim(),
    subjectAbbreviation: fields.subjectAbbreviation.trim(),
    courseNumber: fields.courseNumber.trim(),
    sectionNumber: fields.sectionNumber.trim(),
    semesterSeason: fields.semesterSeason,
    classSchedule: JSON.stringify(fields.classSchedule),
    beginClassTime: fields.beginClassTime,
    endClassTime: fields.endClassTime,
    memberCount: 0,
    createdDay: today(),
  });
  return joinClass(write, accountId, classId);
}

/** @throws {AppError} NOT_FOUND if the class is missing or deleted */
export async function readClass(
  db: Database,
  accountId: string,
  classId: string,
): Promise<{ class: Class; joined: boolean }> {
  const found = await findClass(db, classId);
  if (!found) throw new AppError('NOT_FOUND');
  return { class: toClass(found), joined: await isEnrolled(db, accountId, classId) };
}

/** The account's classes, in the order of the class list. */
export async function listMyClasses(db: Database, accountId: string): Promise<Class[]> {
  const rows = await listClassesOf(db, accountId);
  return rows.map(toClass).toSorted(compareClasses);
}

/**
 * After the commit nobody can access the class. Subscribers learn of it from the revocation, because no
 * member can read the log any more.
 *
 * @returns the class as it was
 * @throws {AppError} NOT_FOUND if the class is missing or already deleted
 */
export async function deleteClass(write: UnitOfWork, classId: string): Promise<Class> {
  const { db } = write;
  // First, because it locks the class's row: no message can be posted in between.
  await appendToLog(db, classId, 'class', '');
  const found = await findClass(db, classId);
  if (!found) throw new AppError('NOT_FOUND');
  await markDeleted(db, found, today());
  await appendRevocation(db, 'class-deleted', classId);
  write.classChanged(classId, null);
  return toClass(found);
}

/**
 * Permanently removes every link between the class's personas and accounts by replacing the salt. The
 * messages stay readable, but nobody can prove that they wrote one.
 *
 * @returns the class
 * @throws {AppError} NOT_FOUND if the class is missing or deleted
 */
export async function endClass(write: UnitOfWork, classId: string): Promise<Class> {
  const { db } = write;
  await appendToLog(db, classId, 'class', '');
  const ended = toClass(await markEnded(db, classId, randomId()));
  await appendRevocation(db, 'class-ended', classId);
  write.classChanged(classId, ended);
  write.erases();
  return ended;
}
