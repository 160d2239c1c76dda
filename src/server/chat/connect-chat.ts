// Creates the parts that store what belongs to members: memberships, read marks, preferences, roles and suspensions.
import type { AccountRecords } from '#server/accounts/account-records.ts';
import type { StopTogether } from '#server/base/stop-together.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import { getRegisters } from '#server/store/registers.ts';
import type { Database } from '#server/store/tables.ts';
import { Memberships } from '#server/chat/members/memberships.ts';
import { PreferenceStore } from '#server/chat/members/preferences.ts';
import { ReadMarks, type ReadMarkNotices } from '#server/chat/members/read-marks.ts';
import {
  createSuspendedAccounts,
  type SuspendedAccounts,
} from '#server/chat/staff/suspended-accounts.ts';

interface Options {
  db: Database;
  commits: CommitQueue;
  keys: Pick<ServerKeys, 'personas' | 'suspensions'>;
  accountRecords: AccountRecords;
  /** The notices of read marks between nodes; undefined if there is one server. */
  readMarkNotices: ReadMarkNotices | undefined;
  /** Whether other nodes write to the database, too. */
  isShared: boolean;
}

export interface ConnectedChat {
  memberships: Memberships;
  readMarks: ReadMarks;
  preferences: PreferenceStore;
  suspendedAccounts: SuspendedAccounts;
}

export async function connectChat(cleanup: StopTogether, options: Options): Promise<ConnectedChat> {
  const { db, commits, keys, accountRecords } = options;
  const memberships = new Memberships(keys.personas, { isShared: options.isShared });
  const registers = getRegisters(keys.personas);
  const readMarks = new ReadMarks(db, commits, registers, options.readMarkNotices);
  cleanup.defer(() => readMarks.stop());
  const preferences = new PreferenceStore(db, registers);
  const suspendedAccounts = await createSuspendedAccounts(db, {
    ...keys.suspensions,
    toMailboxKey: accountRecords.toMailboxKey,
  });
  return { memberships, readMarks, preferences, suspendedAccounts };
}
