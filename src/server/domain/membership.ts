// Joining, leaving, and who one is in a class.
import type { Class } from '#contract/entities.ts';
import { Refusal } from '#contract/errors.ts';
import type { Write } from '../storage/commit-queue.ts';
import type { Reader } from '../storage/database.ts';
import { changeMemberCount, findClass, toClass } from '../storage/queries/classes.ts';
import { deleteEnrolment, insertEnrolment, isEnrolled } from '../storage/queries/enrolments.ts';
import { findPersonaByKey, insertPersona } from '../storage/queries/personas.ts';
import { memberKey } from './member-key.ts';
import { randomId } from './random-id.ts';

const defaultName = 'Anonymous';

type Member = NonNullable<Awaited<ReturnType<typeof findPersonaByKey>>>;

/**
 * Enrolment, persona and member count together. Joining twice is one join; coming back finds the
 * persona that one had.
 *
 * @throws {Refusal} NOT_FOUND
 */
export async function joinClass(
  { db }: Write,
  personaKey: Buffer,
  accountId: string,
  classId: string,
): Promise<Class> {
  const found = await findClass(db, classId);
  if (!found) throw new Refusal('NOT_FOUND');
  if (!(await insertEnrolment(db, accountId, classId))) return toClass(found);
  await changeMemberCount(db, classId, 1);
  const key = memberKey(personaKey, found.salt, accountId);
  if (!(await findPersonaByKey(db, key))) {
    const memberId = randomId();
    await insertPersona(db, {
      classId,
      memberId,
      memberKey: key,
      anonymousName: defaultName,
      icon: memberId,
      appeared: 0,
    });
  }
  return toClass({ ...found, memberCount: found.memberCount + 1 });
}

/** Leaving twice is one leave. The persona stays, so that old messages keep their name. */
export async function leaveClass({ db }: Write, accountId: string, classId: string): Promise<void> {
  if (await deleteEnrolment(db, accountId, classId)) await changeMemberCount(db, classId, -1);
}

/**
 * Who the account is in this class.
 *
 * @throws {Refusal} NOT_FOUND for everybody who is not a member, whether the class exists or not
 */
export async function memberOf(
  db: Reader,
  personaKey: Buffer,
  accountId: string,
  classId: string,
): Promise<Member> {
  const found = await findClass(db, classId);
  if (!found || !(await isEnrolled(db, accountId, classId))) throw new Refusal('NOT_FOUND');
  const member = await findPersonaByKey(db, memberKey(personaKey, found.salt, accountId));
  if (!member) throw new Refusal('NOT_FOUND');
  return member;
}
