// Creates the parts that store what belongs to members: read marks, preferences, roles and suspensions.
import type { AccountRecords } from '#server/accounts/account-records.ts';
import type { StopTogether } from '#server/base/stop-together.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import type { Config } from '#server/config/config-types.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Registers } from '#server/store/registers.ts';
import type { Database } from '#server/store/tables.ts';
import { PreferenceStore } from './members/preferences.ts';
import { ReadMarks, type ReadMarkNotices } from './members/read-marks.ts';
import { createOperators, type Operators } from './staff/operators.ts';
import { createRoles, type Roles } from './staff/roles.ts';
import { createSuspendedAccounts, type SuspendedAccounts } from './staff/suspended-accounts.ts';

interface Options {
  config: Pick<Config, 'operators'>;
  db: Database;
  accountCommits: CommitQueue;
  registers: Registers;
  keys: Pick<ServerKeys, 'suspensions'>;
  accountRecords: AccountRecords;
  /** The notices of read marks between nodes; undefined if there is one server. */
  readMarkNotices: ReadMarkNotices | undefined;
}

export interface ConnectedChat {
  readMarks: ReadMarks;
  preferences: PreferenceStore;
  roles: Roles;
  operators: Operators;
  suspendedAccounts: SuspendedAccounts;
}

export async function connectChat(cleanup: StopTogether, options: Options): Promise<ConnectedChat> {
  const { config, db, accountCommits, registers, keys, accountRecords } = options;
  // Read marks never share a transaction with messages and personas.
  const readMarks = new ReadMarks({
    db,
    commits: accountCommits,
    registers,
    notices: options.readMarkNotices,
  });
  cleanup.defer(() => readMarks.stop());
  const preferences = new PreferenceStore(db, registers);
  const suspendedAccounts = await createSuspendedAccounts(db, {
    ...keys.suspensions,
    toMailboxKey: accountRecords.toMailboxKey,
  });
  const roles = createRoles(config.operators, accountRecords);
  const operators = createOperators(roles);
  return { readMarks, preferences, roles, operators, suspendedAccounts };
}
