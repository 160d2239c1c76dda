// Checks who may read the parts of a class that members and moderators see.
import { getMember } from '#server/chat/members/member.ts';
import { findRoleWith } from './rights.ts';
import type { Reader } from '#server/store/site.ts';

/**
 * Checks that the account is a member or a moderator of the class.
 *
 * @throws {AppError} NOT_FOUND
 */
export async function checkMayRead(
  reader: Reader,
  account: { id: string; email: string },
  classId: string,
): Promise<void> {
  try {
    await getMember(reader, account.id, classId);
  } catch (error) {
    if (!(await findRoleWith(reader, account, classId, 'changeClassSettings'))) throw error;
  }
}
