// Deletes accounts whose address no one verified. The server stores a sign-up only when its address is verified (AUTH-55), so
// there are two kinds of such accounts: those from the time before the administrator required verification, and those that
// an older version of the server stored.
import type { KeyObject } from 'node:crypto';
import { toDate, getToday } from '#server/base/days.ts';
import type { StopSign } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import {
  deleteAccountRow,
  isUnverifiedWithoutRole,
  listUnverifiedWithoutRole,
} from './accounts-queries.ts';
import {
  deleteMetadata,
  insertMetadataOnce,
  findMetadata,
} from '#server/store/server-metadata-queries.ts';
import { deleteSessions } from './sessions-queries.ts';

export interface UnverifiedDependencies {
  db: Database;
  /** The commit queue for changes of accounts. */
  commits: CommitQueue;
  /** Decrypts the times of sign-ups. */
  timesKey: KeyObject;
  /** Whether the account is in any class. */
  hasClasses(db: Database, accountId: string): Promise<boolean>;
}

const graceDays = 7; // RETAIN-3
/**
 * The name of the row that stores a day: since this day, the server has required verification without a break. Before, the
 * server asked no one to verify their address.
 */
const metadataName = 'verificationRequiredSince';

/**
 * Stores today as the first day of required verification, or deletes the stored day if verification is not required. Call it at
 * each start: if the setting is the same as at the last start, it changes nothing.
 */
export async function recordVerificationSetting(
  { db, commits }: Pick<UnverifiedDependencies, 'db' | 'commits'>,
  isRequired: boolean,
): Promise<void> {
  if (((await findMetadata(db, metadataName)) !== null) === isRequired) return;
  await commits.write(async (unitOfWork) => {
    if (isRequired) await insertMetadataOnce(unitOfWork.db, metadataName, String(getToday()));
    else await deleteMetadata(unitOfWork.db, metadataName);
  }, 'independent');
}

/**
 * Deletes only accounts without a class and without a role. No persona, message or member count changes at the same time, so
 * nothing can be linked to the deleted account.
 *
 * @param day the removal day (removal-day.ts)
 * @param stopping aborts the deletion between two commits
 */
export async function deleteUnverified(
  { db, commits, timesKey, hasClasses }: UnverifiedDependencies,
  day: number,
  stopping: StopSign,
): Promise<void> {
  // The day of the sign-up does not count, so that a person who signs up late in the evening also has seven full days.
  const lastSignUpDay = day - graceDays - 1;
  const requiredSince = await findMetadata(db, metadataName);
  if (requiredSince === null || Number(requiredSince) > lastSignUpDay) return;
  for (const accountId of await listUnverifiedWithoutRole(db, timesKey, toDate(lastSignUpDay))) {
    if (stopping.aborted) return;
    await commits.write(
      async (unitOfWork) => {
        // The account may have been verified in the meantime.
        if (!(await isUnverifiedWithoutRole(unitOfWork.db, accountId))) return;
        if (await hasClasses(unitOfWork.db, accountId)) return;
        await deleteSessions(unitOfWork, accountId, 'all');
        await deleteAccountRow(unitOfWork.db, accountId);
        unitOfWork.contentErased();
      },
      { accountId },
    );
  }
}
