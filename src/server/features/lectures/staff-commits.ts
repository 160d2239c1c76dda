import { checkRight } from '#server/chat/staff/rights.ts';
import type { Roles, StaffAccount } from '#server/chat/staff/roles.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { UnitOfWork } from '#server/store/changes.ts';

/** What a call of staff gets from the route. */
interface StaffCall {
  commits: CallCommits;
  account: StaffAccount;
  params: { classId: string };
}

/**
 * Commits a change of someone who may hold lectures in the class.
 *
 * @throws {AppError} NOT_ALLOWED, and those of the change
 */
export function commitAsStaff<Result>(
  roles: Roles,
  { commits, account, params: { classId } }: StaffCall,
  change: (unitOfWork: UnitOfWork, staffName: string) => Promise<Result>,
): Promise<Result> {
  return commits.write(
    async (unitOfWork) => {
      const staffName = await checkRight(unitOfWork.db, roles, account, classId, 'holdLecture');
      return change(unitOfWork, staffName);
    },
    { classId },
  );
}
