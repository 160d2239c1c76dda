// What only operators may do.
import type { CallCommits } from '#server/http/call-commits.ts';
import { checkRight } from './rights.ts';
import type { Roles, StaffAccount } from './roles.ts';
import type { Scope } from '#server/store/commit-locks.ts';
import type { Database } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/changes.ts';

export interface Operators {
  /**
   * @returns the name of the operator in the audit log
   * @throws {AppError} NOT_ALLOWED
   */
  check(db: Database, account: StaffAccount): Promise<string>;
  /** Commits a change. The right is checked in the commit, so that no action follows the end of the role. */
  act<Result>(
    commits: CallCommits,
    account: StaffAccount,
    scope: Scope,
    change: (unitOfWork: UnitOfWork, by: string) => Promise<Result>,
  ): Promise<Result>;
}

export function createOperators(roles: Roles): Operators {
  const check: Operators['check'] = (db, account) =>
    checkRight(db, roles, account, null, 'administer');
  return {
    check,
    act: (commits, account, scope, change) =>
      commits.write(
        async (unitOfWork) => change(unitOfWork, await check(unitOfWork.db, account)),
        scope,
      ),
  };
}
