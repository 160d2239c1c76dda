// Creates, reads, lists, ends and deletes classes.
import {
  findClassFieldsError,
  findListedFieldsError,
  weekdays,
  type ClassFields,
} from '#contract/class-fields.ts';
import { compareClasses } from '#contract/class-label.ts';
import type { Class, ClassSettings, Sanction } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { toDate, getToday } from '#server/base/days.ts';
import type { Config } from '#server/config/config-types.ts';
import { createRandomId } from '#server/base/random-id.ts';
import type { Reader } from '#server/store/site.ts';
import type { Database } from '#server/store/tables.ts';
import type { ClassRow } from '#server/chat/messages/authored-content-queries.ts';
import { endLecture } from './class-settings.ts';
import { findSettings } from './class-settings-queries.ts';
import {
  findClass,
  insertClass,
  listClassesByIds,
  lockClass,
  markDeleted,
  toClass,
} from './classes-queries.ts';
import { appendToLog } from '#server/chat/messages/log-queries.ts';
import { listRoles } from '#server/chat/staff/stored-roles.ts';
import { listRemovedMembers } from '#server/chat/members/sanctions-queries.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { computeMemberId } from '#server/chat/members/member-ids.ts';
import { joinClass } from '#server/chat/members/joining.ts';
import { isEnrolled, type Memberships } from '#server/chat/members/memberships.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import { findCurrentSanction } from '#server/chat/members/sanctions.ts';
import { findReach, hasRight } from '#server/chat/staff/rights.ts';
import type { StaffAccount } from '#server/chat/staff/roles.ts';

/** @throws {AppError} CREATION_BY_OPERATORS if the account is none, and only they may create classes */
export async function checkMayCreate(
  reader: Reader,
  account: StaffAccount,
  { classCreation }: Pick<Config, 'classCreation'>,
): Promise<void> {
  if (classCreation === 'everyone') return; // CREATE-20
  if ((await findReach(reader, account, 'administer')) === 'all') return;
  throw new AppError('CREATION_BY_OPERATORS');
}

/**
 * Creates a class with its creator as the first member.
 *
 * @throws {AppError} CLASS_INCOMPLETE, CLASS_TIMES, TOO_MANY_CLASSES
 */
export async function createClass(
  unitOfWork: UnitOfWork,
  memberships: Memberships,
  accountId: string,
  { noFixedHours, ...fields }: ClassFields & { noFixedHours?: boolean | undefined },
): Promise<Class> {
  const error = noFixedHours ? findListedFieldsError(fields) : findClassFieldsError(fields);
  if (error) throw new AppError(error);
  const { classId } = await addClass(unitOfWork, fields, null);
  return joinClass(unitOfWork, memberships, accountId, classId);
}

/**
 * Adds a class without members. It can lack a schedule.
 *
 * @param year the year of the term; null to derive it from today's date
 * @throws {AppError} CLASS_INCOMPLETE, CLASS_TIMES
 */
export async function addClass(
  unitOfWork: UnitOfWork,
  fields: ClassFields,
  year: number | null,
): Promise<Class> {
  const error = findListedFieldsError(fields);
  if (error) throw new AppError(error);
  const row = {
    classId: createRandomId(),
    seq: 0,
    ordinal: 0,
    salt: createRandomId(),
    status: 'active' as const,
    statusBefore: null,
    name: null,
    ...toFieldsRow(fields),
    year: year ?? toTermYear(fields.semesterSeason, toDate(getToday())),
    memberCount: 0,
    lateJoins: null,
    createdDay: getToday(),
    deletedDay: null,
    endedDay: null,
    mergedInto: null,
    reopenableUntil: null,
  };
  await insertClass(unitOfWork.db, row);
  return toClass(row);
}

/** The stored fields. Days and times that a class does not have are null. */
export function toFieldsRow(fields: ClassFields) {
  const { beginClassTime, endClassTime } = fields;
  const classSchedule = weekdays.filter((day) => fields.classSchedule.includes(day));
  return {
    courseName: fields.courseName.trim(),
    subjectAbbreviation: fields.subjectAbbreviation.trim(),
    courseNumber: fields.courseNumber.trim(),
    sectionNumber: fields.sectionNumber.trim(),
    semesterSeason: fields.semesterSeason,
    classSchedule: classSchedule.length > 0 ? JSON.stringify(classSchedule) : null,
    beginClassTime: beginClassTime || null,
    endClassTime: endClassTime || null,
  };
}

/** The year of a term that is planned or running on this day. From October on, spring means the spring of the next year. */
function toTermYear(season: string, date: Date): number {
  const isNextYear = season === 'Spring' && date.getUTCMonth() >= 9;
  return date.getUTCFullYear() + (isNextYear ? 1 : 0);
}

interface ClassDetails extends Pick<ClassSettings, 'description' | 'rules'> {
  class: Class;
  joined: boolean;
  /** The sanction of the account's persona. If the sanction is a removal, the account has not joined, and cannot join. */
  sanction: Sanction | null;
  /** The class with which operators merged this one. */
  continuesIn: Class | null;
}

/** @throws {AppError} NOT_FOUND if the class is missing or deleted */
export async function getClassDetails(
  reader: Reader,
  accountId: string,
  classId: string,
): Promise<ClassDetails> {
  const { db, site } = reader;
  const foundClass = await findClass(db, classId);
  if (!foundClass) throw new AppError('NOT_FOUND');
  const memberId = computeMemberId(site.keys.personas, foundClass.salt, accountId);
  const sanction = await findCurrentSanction(db, classId, memberId);
  const hasJoined = sanction?.kind !== 'removed' && (await isEnrolled(reader, accountId, classId));
  const { description, rules } = await findSettings(db, classId);
  const mergedClass =
    foundClass.status === 'archived' && foundClass.mergedInto !== null
      ? await findClass(db, foundClass.mergedInto)
      : null;
  const continuesIn = mergedClass && toClass(mergedClass);
  return {
    class: toClass(foundClass),
    joined: hasJoined,
    sanction,
    description,
    rules,
    continuesIn,
  };
}

/** The rows of the account's classes, without deleted ones. */
export async function listAccountClasses(
  db: Database,
  memberships: Memberships,
  accountId: string,
): Promise<ClassRow[]> {
  return listClassesByIds(db, [...(await memberships.list(db, accountId)).keys()]);
}

/** The account's classes, in the order of the class list, without those that moderators removed it from. */
export async function listMyClasses(
  reader: Reader,
  memberships: Memberships,
  accountId: string,
): Promise<Class[]> {
  const rows = await listAccountClasses(reader.db, memberships, accountId);
  const currentRows = await skipRemovedMemberships(reader, accountId, rows);
  return currentRows.map(toClass).toSorted(compareClasses);
}

/**
 * Leaves out the classes from which moderators removed the account, unless it is staff there. The enrollment of a removed member
 * stays, because a change of it would link the account to the sanctioned persona.
 */
async function skipRemovedMemberships(
  reader: Reader,
  accountId: string,
  rows: readonly ClassRow[],
): Promise<ClassRow[]> {
  const removedMembers = await listRemovedMembers(
    reader.db,
    rows.map(({ classId }) => classId),
  );
  const heldRoles = removedMembers.length > 0 ? await listRoles(reader, accountId) : [];
  return rows.filter(({ classId, salt }) => {
    if (
      heldRoles.some((grant) => grant.classId === classId && hasRight(grant.role, 'speakAsStaff'))
    ) {
      return true;
    }
    const removedPersonas = removedMembers.filter((member) => member.classId === classId);
    if (removedPersonas.length === 0) return true;
    const ownMemberId = computeMemberId(reader.site.keys.personas, salt, accountId);
    return !removedPersonas.some(({ memberId }) => memberId === ownMemberId);
  });
}

/**
 * Deletes the class. After the commit no one can access it. Subscribers learn of the deletion from the change event, because no
 * member can read the log any more.
 *
 * @param operatorName the operator's name in the audit log, or `administratorName`
 * @returns the class before its deletion
 * @throws {AppError} NOT_FOUND if the class is missing or already deleted
 */
export async function deleteClass(
  unitOfWork: UnitOfWork,
  classId: string,
  operatorName: string,
): Promise<Class> {
  const { db } = unitOfWork;
  // This is the first step, so that no message can be posted before the deletion.
  await lockClass(db, classId);
  const foundClass = await findClass(db, classId);
  if (!foundClass) throw new AppError('NOT_FOUND');
  await endLecture(unitOfWork, classId);
  await appendToLog(db, classId, 'class', '');
  await markDeleted(db, foundClass, getToday());
  await appendChangeEvent(unitOfWork, 'class-deleted', classId);
  await appendAudit(unitOfWork, {
    staffName: operatorName,
    act: 'delete-class',
    classId,
    reason: '',
  });
  unitOfWork.classChanged(classId, null);
  return toClass(foundClass);
}
