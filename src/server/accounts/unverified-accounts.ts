// Deletes accounts whose address no one verified. Such accounts exist if the operator has required verification only after
// some sign-ups, or if an older version stored them: since AUTH-55, a sign-up is stored only when it is verified.
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
/** The name of the stored day since which verification has been required without a break. Before, no one was asked to verify. */
const metadataName = 'verificationRequiredSince';

/** Stores at each start since when verification is required. */
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
 * Deletes only accounts without a class and without a role. No persona, message or member count changes at the same time, so
 * nothing can be linked to the deleted account.
 *
 * @param day the removal day (removal-day.ts)
 * @param stopping aborts the deletion between two commits
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
        // The account may have been verified in the meantime.
        if (!(await isUnused(unitOfWork.db, accountId))) return;
        await deleteSessions(unitOfWork, accountId, 'all');
        await deleteAccountRow(unitOfWork.db, accountId);
        unitOfWork.contentErased();
      },
      { accountId },
    );
  }
}
