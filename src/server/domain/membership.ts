// Joining, leaving, and who one is in a class.
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
 * Enrolment and member count together; joining twice is one join. No persona is written: two rows of
 * one commit lie side by side in the database's files, whatever their keys are.
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

/** Leaving twice is one leave. The persona stays, so that old messages keep their name. */
export async function leaveClass(
  write: UnitOfWork,
  accountId: string,
  classId: string,
): Promise<void> {
  if (await deleteEnrolment(write.db, accountId, classId)) await countMember(write, classId, -1);
}

/** The only way to change a count: search follows it. */
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

/** Who an account is in a class, and how far the class's log has come. */
export interface Member {
  classId: string;
  persona: Persona;
  /** False until others have seen the persona: with its first message, reaction or rename. */
  appeared: boolean;
  /** What the member has seen of the class; 0 where that is not kept. */
  readSeq: number;
  head: number;
}

/**
 * @throws {AppError} NOT_FOUND for everybody who is not a member, whether the class exists or not
 */
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
