// Who sees a case: the moderators of its class, or operators alone. No one sees what others say about their own personas.
import type { KeyObject } from 'node:crypto';
import { findSalt } from '#server/chat/classes/classes-queries.ts';
import { hasPersona } from '#server/chat/members/member.ts';
import type { Database } from '#server/store/tables.ts';
import type { Roles } from './roles.ts';

export interface CaseSubject {
  classId: string;
  memberId: string;
}

/** Tells whether the case is about a persona of the account. */
export async function isAbout(
  db: Database,
  personaKey: KeyObject,
  accountId: string,
  { classId, memberId }: CaseSubject,
): Promise<boolean> {
  const salt = await findSalt(db, classId);
  return salt !== null && hasPersona(personaKey, salt, accountId, memberId);
}

/** @returns the ids of the accounts that see the case */
export async function listCaseReaders(
  db: Database,
  personaKey: KeyObject,
  roles: Roles,
  { classId, memberId, isForOperators }: CaseSubject & { isForOperators: boolean },
): Promise<string[]> {
  const staffIds = await roles.listStaff(db, isForOperators ? null : classId);
  const salt = await findSalt(db, classId);
  return staffIds.filter(
    (accountId) => salt === null || !hasPersona(personaKey, salt, accountId, memberId),
  );
}
