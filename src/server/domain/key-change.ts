// Every memberId is derived from the server key, so a new key changes all of them or unlinks their accounts.
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
 * Gives every account the memberIds of the new key and moves its content to them. The old key then derives no
 * memberId of this database.
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
    // Includes accounts that have left the class: a member who rejoins gets the persona back.
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
 * After that, no one can link a persona to its account, not even with the old key. Pending removals are
 * dropped, because only the lost key could read them: that content stays.
 */
export async function unlinkPersonas(db: DatabaseTransaction): Promise<void> {
  for await (const { classId } of everyClass(db)) {
    await changeSalt(db, classId, randomId());
    await forgetClassDigests(db, classId);
  }
  await dropPendingRemovals(db);
  await recountMembers(db);
}
