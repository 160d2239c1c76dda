// Another server key: every memberId is derived from it, so all of them change or lose their account.
import type { KeyObject } from 'node:crypto';
import { randomId } from '../random-id.ts';
import type { DatabaseTransaction } from '../storage/database.ts';
import { listAccountIds } from '../storage/queries/accounts.ts';
import { everyClass } from '../storage/queries/authored-content.ts';
import { changeSalt, recountMembers } from '../storage/queries/classes.ts';
import {
  changeMemberIds,
  forgetClassDigests,
  listMemberIds,
  type MemberIdChange,
} from '../storage/queries/member-ids.ts';
import { memberIdOf } from './member-id.ts';
import { dropPendingRemovals, resealPendingRemovals } from './pending-removals.ts';

/**
 * Gives every account the memberIds of the new key, with all that it wrote. Somebody who has the old
 * key computes no memberId of this database after that.
 */
export async function keepPersonas(
  db: DatabaseTransaction,
  before: KeyObject,
  after: KeyObject,
): Promise<void> {
  const accountIds = await listAccountIds(db);
  for await (const { classId, salt } of everyClass(db)) {
    const present = await listMemberIds(db, classId);
    const changes: MemberIdChange[] = [];
    // Also accounts that left the class: coming back restores their persona.
    for (const accountId of accountIds) {
      const memberId = memberIdOf(before, salt, accountId);
      if (!present.has(memberId)) continue;
      changes.push({ before: memberId, after: memberIdOf(after, salt, accountId) });
    }
    await changeMemberIds(db, classId, changes);
    await forgetClassDigests(db, classId);
  }
  await resealPendingRemovals(db, before, after);
}

/**
 * After that no one can link a persona to its account, not even with the old key. What deleted accounts
 * wrote and was still to be removed stays, because only the lost key could say what that is.
 */
export async function cutPersonas(db: DatabaseTransaction): Promise<void> {
  for await (const { classId } of everyClass(db)) {
    await changeSalt(db, classId, randomId());
    await forgetClassDigests(db, classId);
  }
  await dropPendingRemovals(db);
  await recountMembers(db);
}
