// Who sees a case: the moderators of its class, or operators alone. No one sees what others say about their own personas.
import { findSalt } from '#server/chat/classes/classes-queries.ts';
import { hasPersona } from '#server/chat/members/member.ts';
import type { Reader } from '#server/store/site.ts';
import { listStaff } from './roles.ts';

export interface CaseSubject {
  classId: string;
  memberId: string;
}

/** Tells whether the case is about a persona of the account. */
export async function isAbout(
  { db, site: { keys } }: Reader,
  accountId: string,
  { classId, memberId }: CaseSubject,
): Promise<boolean> {
  const salt = await findSalt(db, classId);
  return salt !== null && hasPersona(keys, salt, accountId, memberId);
}

/** @returns the ids of the accounts that see the case */
export async function listCaseReaders(
  reader: Reader,
  { classId, memberId, isForOperators }: CaseSubject & { isForOperators: boolean },
): Promise<string[]> {
  const staffIds = await listStaff(reader, isForOperators ? null : classId);
  const salt = await findSalt(reader.db, classId);
  const { keys } = reader.site;
  return staffIds.filter(
    (accountId) => salt === null || !hasPersona(keys, salt, accountId, memberId),
  );
}
