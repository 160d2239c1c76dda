// The settings of a class: members read them, and moderators change them.
import type { KeyObject } from 'node:crypto';
import type { Account } from '#server/accounts/accounts.ts';
import { changeSettings, readSettings } from '#server/chat/classes/class-settings.ts';
import { memberOf } from '#server/chat/members/membership.ts';
import type { Roles } from '#server/chat/staff/roles.ts';
import { reachOf, requireRight } from '#server/chat/staff/rights.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import type { Route } from '#server/http/route.ts';

interface Parts {
  db: Database;
  commits: CommitQueue;
  personaKey: KeyObject;
  roles: Roles;
}

/**
 * For members and moderators of the class.
 *
 * @throws {AppError} NOT_FOUND
 */
export async function checkMayRead(
  { db, personaKey, roles }: Pick<Parts, 'db' | 'personaKey' | 'roles'>,
  account: Account,
  classId: string,
): Promise<void> {
  try {
    await memberOf(db, personaKey, account.id, classId);
  } catch (error) {
    const reach = await reachOf(db, roles, account, 'changeClassSettings');
    const mayChange = reach === 'all' || reach.has(classId);
    if (!mayChange || !(await findClass(db, classId))) throw error;
  }
}

export function classSettingsRoutes(route: Route, parts: Parts): void {
  const { db, commits, roles } = parts;

  route('readClassSettings', 'signedIn', async ({ account, params: { classId } }) => {
    await checkMayRead(parts, account, classId);
    return readSettings(db, classId);
  });

  route('changeClassSettings', 'signedIn', async ({ account, params: { classId }, body }) => {
    const settings = await commits.write(
      async (unitOfWork) => {
        const right = 'changeClassSettings';
        const staffName = await requireRight(unitOfWork.db, roles, account, classId, right);
        return changeSettings(unitOfWork, classId, body, staffName);
      },
      { classId },
    );
    return { settings };
  });
}
