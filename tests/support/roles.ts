// Grants and revokes roles as the operator's commands do. A process for each of them would take a second.
import { loadConfig } from '#server/config/config.ts';
import { administratorName } from '#server/chat/staff/audit-log.ts';
import { grantRole, grantStaff, revokeRole } from '#server/chat/staff/roles.ts';
import {
  deleteRoles,
  listAllRoles,
  saveRole,
  type AccountRole,
} from '#server/chat/staff/stored-roles.ts';
import { loadCommandKeys } from '#server/commands/command-keys.ts';
import type { Change } from '#server/store/changes.ts';
import { runOnDatabase } from '#server/commands/run-on-database.ts';
import { writeChange } from '#tests/support/write-change.ts';
import type { Settings } from './child-environment.ts';

interface Role {
  readonly email: string;
  /** null for an operator of all classes */
  readonly classId: string | null;
}

type UnitOfWork = Parameters<Change<void>>[0];

/** @param staffName what the audit log shows */
export function grantRoleByCommand(settings: Settings, role: Role, staffName: string) {
  return changeRole(settings, role.email, (unitOfWork, accountId) =>
    grantRole(unitOfWork, {
      accountId,
      classId: role.classId,
      staffName,
      operatorName: administratorName,
    }),
  );
}

/** @param staffName what the class sees */
export function grantStaffByCommand(
  settings: Settings,
  { email, classId }: { email: string; classId: string },
  staffName: string,
) {
  return changeRole(settings, email, (unitOfWork, accountId) =>
    grantStaff(unitOfWork, {
      accountId,
      classId,
      staffName,
      operatorName: administratorName,
    }),
  );
}

export function revokeRoleByCommand(settings: Settings, { email, classId }: Role) {
  return changeRole(settings, email, (unitOfWork, accountId) =>
    revokeRole(unitOfWork, {
      accountId,
      classId,
      role: null,
      operatorName: administratorName,
    }),
  );
}

interface Stored {
  readonly settings: Settings;
}

/** Stores a role without its entry in the audit log. Running servers do not learn of it. */
export function addStoredRole(
  { settings }: Stored,
  { email, ...role }: { email: string } & Omit<AccountRole, 'accountId'>,
) {
  return changeRole(settings, email, (unitOfWork, accountId) =>
    saveRole(unitOfWork, { accountId, ...role }),
  );
}

/** Deletes the roles of the account. Running servers do not learn of it. */
export function deleteStoredRoles({ settings }: Stored, { email }: { email: string }) {
  return changeRole(settings, email, (unitOfWork, accountId) =>
    deleteRoles(unitOfWork, (held) => held.accountId === accountId),
  );
}

export async function listStoredRoles({ settings }: Stored): Promise<AccountRole[]> {
  const config = loadConfig({ ...settings });
  const { site } = loadCommandKeys(config);
  return runOnDatabase(config.database, ({ db }) => listAllRoles({ db, site }));
}

async function changeRole(
  settings: Settings,
  email: string,
  change: (unitOfWork: UnitOfWork, accountId: string) => Promise<unknown>,
): Promise<void> {
  const config = loadConfig({ ...settings });
  const { site, accountRecords } = loadCommandKeys(config);
  await writeChange(config.database, async (unitOfWork) => {
    const accountId = await accountRecords.findId(unitOfWork.db, email);
    if (accountId === null) throw new Error(`There is no account with the address ${email}.`);
    await change({ ...unitOfWork, site }, accountId);
  });
}
