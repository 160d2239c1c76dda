// Deletes accounts whose address no one verified. They exist if the operator requires verification later than the first
// sign-ups, and from older versions: since AUTH-55 a sign-up is stored when it is verified.
import type { KeyObject } from 'node:crypto';
import { toDate, getToday } from '#server/base/days.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import { deleteAccountRow, isUnused, listUnverified } from './accounts-queries.ts';
import {
  deleteMetadata,
  insertMetadataOnce,
  findMetadata,
} from '#server/store/server-metadata-queries.ts';
import { deleteSessions } from './sessions-queries.ts';

export interface UnverifiedDependencies {
  db: Database;
  /** The queue of accounts. */
  commits: CommitQueue;
  timesKey: KeyObject;
}

const graceDays = 7; // RETAIN-3
/** The day since which verification has been required without a break. Before, no one was asked to verify. */
const metadataName = 'verificationRequiredSince';

/** Runs at each start, and stores since when verification is required. */
export async function recordVerificationSetting(
  { db, commits }: Pick<UnverifiedDependencies, 'db' | 'commits'>,
  isRequired: boolean,
): Promise<void> {
  if (((await findMetadata(db, metadataName)) !== null) === isRequired) return;
  await commits.write(async (unitOfWork) => {
    if (isRequired) await insertMetadataOnce(unitOfWork.db, metadataName, String(getToday()));
    else await deleteMetadata(unitOfWork.db, metadataName);
  }, 'nothing');
}

/**
 * Only accounts without a class and without a role go. No persona, message or member count changes with them, so nothing
 * pairs with an account that goes.
 *
 * @param day the removal day (removal-day.ts)
 * @param stopping stops between two commits
 */
export async function deleteUnverified(
  { db, commits, timesKey }: UnverifiedDependencies,
  day: number,
  stopping: AbortSignal,
): Promise<void> {
  const lastDay = day - graceDays - 1;
  const requiredSince = await findMetadata(db, metadataName);
  if (requiredSince === null || Number(requiredSince) > lastDay) return;
  for (const accountId of await listUnverified(db, timesKey, toDate(lastDay))) {
    if (stopping.aborted) return;
    await commits.write(
      async (unitOfWork) => {
        // It may have been verified in the meantime.
        if (!(await isUnused(unitOfWork.db, accountId))) return;
        await deleteSessions(unitOfWork, accountId, 'all');
        await deleteAccountRow(unitOfWork.db, accountId);
        unitOfWork.contentErased();
      },
      { accountId },
    );
  }
}
