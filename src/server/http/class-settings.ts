// The settings of a class: members read them, and moderators change them.
import type { KeyObject } from 'node:crypto';
import type { Account } from '../accounts/accounts.ts';
import { changeSettings, readSettings } from '../domain/class-settings.ts';
import { memberOf } from '../domain/membership.ts';
import type { Roles } from '../domain/moderation/roles.ts';
import { reachOf, requireRight } from '../domain/rights.ts';
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import { findClass } from '../storage/queries/classes.ts';
import type { Route } from './route.ts';

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
