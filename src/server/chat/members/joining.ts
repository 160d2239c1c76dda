// Joins and leaves classes.
import { randomInt } from 'node:crypto';
import type { Class } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { getToday } from '#server/base/days.ts';
import {
  addLateJoins,
  changeMemberCount,
  findClass,
  toClass,
} from '#server/chat/classes/classes-queries.ts';
import { listRoles } from '#server/chat/staff/stored-roles.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { getRegisters } from '#server/store/registers.ts';
import type { Reader } from '#server/store/site.ts';
import { deriveVoter } from '#server/chat/votes/votes.ts';
import { computeMemberId } from './member-ids.ts';
import { changeMembers, listMembers, type Memberships } from './memberships.ts';
import { changePendingRemovals, listPendingRemovals } from './pending-removals.ts';
import { findCurrentSanction, toSanctionError } from './sanctions.ts';

/**
 * Enrolls the account and changes the member count. Joining twice has no effect. No persona is inserted yet, because rows of one
 * commit are next to each other in the database's files.
 *
 * @throws {AppError} NOT_FOUND, TOO_MANY_CLASSES
 */
export async function joinClass(
  unitOfWork: UnitOfWork,
  memberships: Memberships,
  accountId: string,
  classId: string,
): Promise<Class> {
  const { db } = unitOfWork;
  const foundClass = await findClass(db, classId);
  if (!foundClass) throw new AppError('NOT_FOUND');
  unitOfWork.addEffect({ kind: 'enrollment', accountId, classId, joined: true });
  const hasJoined = await changeMembers(unitOfWork, classId, (members) => {
    if (members.has(accountId)) return false;
    members.set(accountId, { joinedDay: getToday() });
    return true;
  });
  if (!hasJoined) return toClass(foundClass);
  // Before the commit, because a deletion of the account in the other queue needs all classes.
  memberships.add(accountId, classId);
  if (await memberships.isInMoreThan(db, accountId, limits.classesPerAccount)) {
    memberships.remove(accountId, classId);
    throw new AppError('TOO_MANY_CLASSES');
  }
  await memberships.appendEvent(unitOfWork, classId);
  const changedClass = await countMember(unitOfWork, classId, 1);
  if (!changedClass) throw new AppError('NOT_FOUND');
  return changedClass;
}

/**
 * Enrolls the members of a merged class, and changes the member count once. The limit of classes does not apply, because no one
 * may lose access.
 */
export async function enrollAll(
  unitOfWork: UnitOfWork,
  { duplicateId, keptId }: { duplicateId: string; keptId: string },
): Promise<void> {
  // The duplicate still counts accounts that were deleted.
  const pending = await listPendingRemovals(unitOfWork);
  const deletedIds = new Set(pending.map(({ deletedId }) => deletedId));
  const duplicate = await listMembers(unitOfWork, duplicateId);
  let joinedCount = 0;
  await changeMembers(unitOfWork, keptId, (members) => {
    for (const accountId of duplicate.keys()) {
      if (members.has(accountId) || deletedIds.has(accountId)) continue;
      members.set(accountId, { joinedDay: getToday() });
      joinedCount += 1;
    }
    return joinedCount > 0;
  });
  if (joinedCount > 0) await countMember(unitOfWork, keptId, joinedCount);
}

/**
 * Checks that moderators have not removed the account from the class. An account that may speak as staff can always join: see
 * `getMember`.
 *
 * @throws {AppError} REMOVED_FROM_CLASS
 */
export async function checkMayJoin(
  reader: Reader,
  accountId: string,
  classId: string,
): Promise<void> {
  const { db, site } = reader;
  const foundClass = await findClass(db, classId);
  if (!foundClass) return;
  const memberId = computeMemberId(site.keys.personas, foundClass.salt, accountId);
  const sanction = await findCurrentSanction(db, classId, memberId);
  if (sanction?.kind !== 'removed') return;
  const heldRoles = await listRoles(reader, accountId);
  if (heldRoles.some((held) => held.classId === classId && held.role === 'staff')) return;
  throw toSanctionError(sanction);
}

/** A longer time than any server needs to notice the leave. */
const minRemovalDelayMs = 5 * 60_000;

/** Ends the membership. Leaving twice has no effect. The persona stays, so old messages keep their name. */
export async function leaveClass(
  unitOfWork: UnitOfWork,
  accountId: string,
  classId: string,
): Promise<void> {
  const { db, site, addEffect } = unitOfWork;
  addEffect({ kind: 'enrollment', accountId, classId, joined: false });
  if (!(await removeMember(unitOfWork, accountId, classId))) return;
  addEffect({ kind: 'departure', accountId, classId });
  const foundClass = await findClass(db, classId);
  if (!foundClass) return;
  const removal = {
    classId,
    memberId: null,
    isCounted: false,
    leaverId: accountId,
    own: {
      voter: deriveVoter(unitOfWork, { classId, classSalt: foundClass.salt }, accountId),
    },
    dueAt: Date.now() + minRemovalDelayMs + randomInt(minRemovalDelayMs),
  };
  // At a separate time, because the memberId is that of the persona.
  const removalOfQuestions = {
    ...removal,
    own: { asker: computeMemberId(site.keys.personas, foundClass.salt, accountId) },
    dueAt: Date.now() + minRemovalDelayMs + randomInt(minRemovalDelayMs),
  };
  // They replace those of an earlier departure, so that no one can add more than two for a class.
  await changePendingRemovals(unitOfWork, (pending) => [
    ...pending.filter((other) => other.leaverId !== accountId || other.classId !== classId),
    removal,
    removalOfQuestions,
  ]);
}

/**
 * Removes the account from the class, with its read position and its preferences. All registers are written in any case, so that
 * the commit does not tell whether the account had any.
 *
 * @returns false if the account was not in the class
 */
export async function removeMember(
  unitOfWork: UnitOfWork,
  accountId: string,
  classId: string,
): Promise<boolean> {
  const { db, site, contentErased } = unitOfWork;
  const isRemoved = await changeMembers(unitOfWork, classId, (members) =>
    members.delete(accountId),
  );
  if (!isRemoved) return false;
  for (const kind of ['preferences', 'readMarks'] as const) {
    await getRegisters(site.keys.personas).change(db, kind, classId, (entries) => {
      entries.delete(accountId);
      return true;
    });
  }
  contentErased();
  await countMember(unitOfWork, classId, -1);
  return true;
}

/** Changes the member count and reports it to the search index. No other code changes the count. */
export async function countMember(
  unitOfWork: UnitOfWork,
  classId: string,
  difference: number,
): Promise<Class | null> {
  const row = await changeMemberCount(unitOfWork.db, classId, difference);
  const changedClass = row && toClass(row);
  unitOfWork.classChanged(classId, changedClass);
  return changedClass;
}

/** Adds to the member count those who joined since it was published. */
export async function publishLateJoins(unitOfWork: UnitOfWork, classId: string): Promise<void> {
  const row = await addLateJoins(unitOfWork.db, classId);
  unitOfWork.classChanged(classId, row && toClass(row));
}
