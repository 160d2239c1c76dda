// Merges a duplicate into the class that stays: its members join that one, and the duplicate ends. Messages do not move
// (decision 87).
import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { Reader } from '#server/store/site.ts';
import type { Database } from '#server/store/tables.ts';
import { findLastClassEntry } from '#server/chat/staff/audit-log-queries.ts';
import type { ClassRow } from '#server/chat/messages/authored-content-queries.ts';
import {
  delayJoins,
  findClass,
  setMergedInto,
  toClass,
} from '#server/chat/classes/classes-queries.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import { listAllRoles } from '#server/chat/staff/stored-roles.ts';
import { hasCaseAskerPrefix } from '#server/chat/members/member-ids.ts';
import { listRemovedMembers } from '#server/chat/members/sanctions-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { endClass } from './ended-classes.ts';
import { enrollAll } from '#server/chat/members/joining.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';

export interface Merge {
  duplicateId: string;
  keptId: string;
}

/**
 * The preview does not say how many members are in both classes. If one class had a single member, the number would reveal whether
 * that person is in the other class, too. ADMIN-49
 */
export interface MergePreview {
  duplicate: Class;
  kept: Class;
  /** False if moderators removed someone from the duplicate. */
  isEnrolling: boolean;
  /** Roles of moderators and staff that end with the duplicate. */
  roleTotal: number;
}

/** @throws {AppError} NOT_FOUND, CLASS_ENDED, INVALID for one class or different terms */
export async function previewMerge(reader: Reader, merge: Merge): Promise<MergePreview> {
  const { db } = reader;
  const { duplicate, kept } = await findClasses(db, merge);
  checkMayMerge(duplicate, kept);
  const allRoles = await listAllRoles(reader);
  return {
    duplicate: toClass(duplicate),
    kept: toClass(kept),
    isEnrolling: await mayEnroll(db, merge),
    roleTotal: allRoles.filter(({ classId }) => classId === merge.duplicateId).length,
  };
}

/**
 * Enrolls the members of the duplicate in the class that stays, and ends the duplicate. If it was merged before, because a reply
 * was lost, nothing changes.
 *
 * @param staffName the operator's name in the audit log, or `administratorName`
 * @throws {AppError} NOT_FOUND, CLASS_ENDED, INVALID for one class or different terms
 */
export async function mergeClasses(
  unitOfWork: UnitOfWork,
  merge: Merge,
  { staffName, reopenDays }: { staffName: string; reopenDays: number },
): Promise<void> {
  const { db } = unitOfWork;
  const { duplicateId, keptId } = merge;
  if (!(await begin(unitOfWork, merge, staffName))) return;
  if (await mayEnroll(db, merge)) await enrollAll(unitOfWork, merge);
  const duplicate = await findClass(db, duplicateId);
  // The courses of the duplicate now lead to the class that stays.
  if (duplicate && duplicate.lateJoins !== null) await delayJoins(db, keptId);
  await endClass(unitOfWork, duplicateId, staffName, reopenDays);
  await setMergedInto(db, duplicateId, keptId);
  await appendChangeEvent(unitOfWork, 'class-merged', duplicateId);
}

/** @returns false if the merge was committed, but its reply was lost */
async function begin(unitOfWork: UnitOfWork, merge: Merge, staffName: string): Promise<boolean> {
  const { duplicate, kept } = await findClasses(unitOfWork.db, merge);
  if (duplicate.status === 'archived' && duplicate.mergedInto === merge.keptId) return false;
  checkMayMerge(duplicate, kept);
  await recordOnce(unitOfWork, merge, staffName);
  return true;
}

async function findClasses(
  db: Database,
  { duplicateId, keptId }: Merge,
): Promise<{ duplicate: ClassRow; kept: ClassRow }> {
  if (duplicateId === keptId) {
    throw new AppError('MERGE_SAME');
  }
  const duplicate = await findClass(db, duplicateId);
  const keptClass = await findClass(db, keptId);
  if (!duplicate || !keptClass) throw new AppError('NOT_FOUND');
  return { duplicate, kept: keptClass };
}

function checkMayMerge(duplicate: ClassRow, keptClass: ClassRow): void {
  for (const row of [duplicate, keptClass]) {
    if (row.status === 'active') continue;
    throw new AppError('MERGE_ENDED', { className: toClassLabel(row) });
  }
  const differ = <Value>(value: Value | null, otherValue: Value | null) =>
    value !== null && otherValue !== null && value !== otherValue;
  if (
    differ(duplicate.semesterSeason, keptClass.semesterSeason) ||
    differ(duplicate.year, keptClass.year)
  ) {
    throw new AppError('MERGE_TERMS');
  }
}

/**
 * If moderators removed someone from the duplicate, no one is enrolled, and all members get the link. If only the removed
 * members were left out, their missing enrollments would link their accounts to the sanctioned personas. Who is removed from
 * private questions is still a member.
 */
async function mayEnroll(db: Database, { duplicateId }: Merge): Promise<boolean> {
  const removedMembers = await listRemovedMembers(db, [duplicateId]);
  return removedMembers.every(({ memberId }) => hasCaseAskerPrefix(memberId));
}

/**
 * Appends the entry to the audit log in the first step, so that an interrupted merge has an entry, too. Between two steps, the log
 * can get entries of other actions.
 */
async function recordOnce(unitOfWork: UnitOfWork, merge: Merge, staffName: string): Promise<void> {
  const { duplicateId: classId, keptId } = merge;
  const reason = `Into ${keptId}`;
  const last = await findLastClassEntry(unitOfWork.db, classId, ['merge-class', 'end-class']);
  if (last?.act === 'merge-class' && last.reason === reason) return;
  await appendAudit(unitOfWork, { staffName, act: 'merge-class', classId, reason });
}
