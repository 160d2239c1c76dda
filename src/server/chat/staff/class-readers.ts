// Checks who may read the parts of a class that members and moderators see.
import type { KeyObject } from 'node:crypto';
import { getMember } from '#server/chat/members/member.ts';
import type { Database } from '#server/store/tables.ts';
import { findRoleWith } from './rights.ts';
import type { Roles } from './roles.ts';

/**
 * Checks that the account is a member or a moderator of the class.
 *
 * @throws {AppError} NOT_FOUND
 */
export async function checkMayRead(
  { db, keys, roles }: { db: Database; keys: { personas: KeyObject }; roles: Roles },
  account: { id: string; email: string },
  classId: string,
): Promise<void> {
  try {
    await getMember(db, keys.personas, account.id, classId);
  } catch (error) {
    if (!(await findRoleWith(db, roles, account, classId, 'changeClassSettings'))) throw error;
  }
}
