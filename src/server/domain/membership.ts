// Joins and leaves classes, and finds an account's membership of a class.
import type { KeyObject } from 'node:crypto';
import { defaultName } from '#contract/default-name.ts';
import type { Class, Persona } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { UnitOfWork } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import { changeMemberCount, findClass, findHead, toClass } from '../storage/queries/classes.ts';
import { deleteEnrolment, insertEnrolment } from '../storage/queries/enrolments.ts';
import { findPersona } from '../storage/queries/personas.ts';
import { memberIdOf } from './member-id.ts';
import { today } from './today.ts';

/**
 * Updates enrolment and member count together; joining twice has no effect. It inserts no persona: rows of
 * one commit lie next to each other in the database's files.
 *
 * @throws {AppError} NOT_FOUND
 */
export async function joinClass(
  write: UnitOfWork,
  accountId: string,
  classId: string,
): Promise<Class> {
  const found = await findClass(write.db, classId);
  if (!found) throw new AppError('NOT_FOUND');
  if (!(await insertEnrolment(write.db, accountId, classId, today()))) return toClass(found);
  const joined = await countMember(write, classId, 1);
  if (!joined) throw new AppError('NOT_FOUND');
  return joined;
}

/** Leaving twice has no effect. The persona stays, so old messages keep their name. */
export async function leaveClass(
  write: UnitOfWork,
  accountId: string,
  classId: string,
): Promise<void> {
  if (await deleteEnrolment(write.db, accountId, classId)) await countMember(write, classId, -1);
}

/** The only way to change the count, because the search index follows it. */
export async function countMember(
  write: UnitOfWork,
  classId: string,
  by: 1 | -1,
): Promise<Class | null> {
  const row = await changeMemberCount(write.db, classId, by);
  const now = row && toClass(row);
  write.classChanged(classId, now);
  return now;
}

/** An account's membership of a class, with the head of the class's log. */
export interface Member {
  classId: string;
  persona: Persona;
  /** False until others can see the persona: after the first message, reaction or rename. */
  appeared: boolean;
  /** The last seq that the member has read; 0 if it is not stored. */
  readSeq: number;
  head: number;
}

/** @throws {AppError} NOT_FOUND if the account is not a member, even if the class exists */
export async function memberOf(
  db: Database,
  personaKey: KeyObject,
  accountId: string,
  classId: string,
): Promise<Member> {
  const head = await findHead(db, accountId, classId);
  if (!head) throw new AppError('NOT_FOUND');
  const memberId = memberIdOf(personaKey, head.salt, accountId);
  const row = await findPersona(db, classId, memberId);
  const { anonymousName, icon } = row ?? { anonymousName: defaultName, icon: memberId };
  return {
    classId,
    persona: { memberId, anonymousName, icon },
    appeared: row !== null,
    readSeq: row?.readSeq ?? 0,
    head: head.seq,
  };
}
