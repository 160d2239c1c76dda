// Deletes accounts whose address no one verified. The server stores a sign-up only when its address is verified (AUTH-55), so
// there are two kinds of such accounts: those from the time before the administrator required verification, and those that
// an older version of the server stored.
import { getToday } from '#server/base/days.ts';
import type { StopSign } from '#server/store/background-lease.ts';
import type { Reader } from '#server/store/site.ts';
import { deleteAccountRow, type AccountRecord } from './account-records.ts';
import {
  deleteMetadata,
  insertMetadataOnce,
  findMetadata,
} from '#server/store/server-metadata-queries.ts';
import type { AccountVisitor } from './sealed-account-table.ts';
import type { ServerCore } from './server-core.ts';

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
  { db, accountCommits }: Pick<ServerCore, 'db' | 'accountCommits'>,
  isRequired: boolean,
): Promise<void> {
  if (((await findMetadata(db, metadataName)) !== null) === isRequired) return;
  await accountCommits.write(async (unitOfWork) => {
    if (isRequired) await insertMetadataOnce(unitOfWork.db, metadataName, String(getToday()));
    else await deleteMetadata(unitOfWork.db, metadataName);
  }, 'independent');
}

/**
 * Deletes only accounts without a class and without a role. No persona, message or member count changes at the same time, so
 * nothing can be linked to the deleted account.
 */
export class UnverifiedAccounts implements AccountVisitor {
  readonly #server: ServerCore;
  readonly #isNeeded: (reader: Reader, accountId: string) => Promise<boolean>;
  /** The accounts that were old and not verified at the last visit. */
  readonly #candidateIds = new Set<string>();

  /** @param isNeeded tells whether the account has a class or a role */
  constructor(
    server: ServerCore,
    isNeeded: (reader: Reader, accountId: string) => Promise<boolean>,
  ) {
    this.#server = server;
    this.#isNeeded = isNeeded;
  }

  visit(account: AccountRecord): null {
    if (isDue(account, getToday())) this.#candidateIds.add(account.id);
    return null;
  }

  /**
   * @param day the removal day (removal-day.ts)
   * @param stopping aborts the deletion between two commits
   */
  async deleteDue(day: number, stopping: StopSign): Promise<void> {
    const { accountCommits, sessionRecords } = this.#server;
    const requiredSince = await findMetadata(this.#server.db, metadataName);
    if (requiredSince === null || Number(requiredSince) > toLastSignUpDay(day)) return;
    for (const id of this.#candidateIds) {
      if (stopping.aborted) return;
      if (!(await this.#hasToGo(this.#server, id, day))) continue;
      await accountCommits.write(
        async (unitOfWork) => {
          // The account may have been verified in the meantime.
          if (!(await this.#hasToGo(unitOfWork, id, day))) return;
          await sessionRecords.end(unitOfWork, id, 'all');
          await deleteAccountRow(unitOfWork.db, id);
          unitOfWork.contentErased();
        },
        { accountId: id },
      );
      this.#candidateIds.delete(id);
    }
  }

  async #hasToGo(reader: Reader, id: string, day: number): Promise<boolean> {
    const account = await this.#server.accountRecords.findById(reader.db, id);
    return account !== null && isDue(account, day) && !(await this.#isNeeded(reader, id));
  }
}

/** The day of the sign-up does not count, so that a person who signs up late in the evening also has seven full days. */
const toLastSignUpDay = (day: number) => day - graceDays - 1;

function isDue({ emailVerified, createdDay }: AccountRecord, day: number): boolean {
  return !emailVerified && createdDay <= toLastSignUpDay(day);
}
