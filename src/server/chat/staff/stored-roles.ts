// The roles of accounts. One register has those of all classes, because a school has few: every right is found by one version,
// and a change of the register does not tell the class (decision 47).
import {
  allClasses,
  getRegisters,
  type ProposedRole,
  type StoredRole,
} from '#server/store/registers.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Reader } from '#server/store/site.ts';

export interface AccountRole extends StoredRole {
  accountId: string;
}

export async function listRoles(
  { db, site: { keys } }: Reader,
  accountId: string,
): Promise<readonly StoredRole[]> {
  const staff = await getRegisters(keys.personas).read(db, 'staff', allClasses);
  return (staff.get(accountId) ?? []).filter(isHeld);
}

export async function listAllRoles({ db, site: { keys } }: Reader): Promise<AccountRole[]> {
  const staff = await getRegisters(keys.personas).read(db, 'staff', allClasses);
  return [...staff].flatMap(([accountId, roles]) =>
    roles.filter(isHeld).map((role) => ({ accountId, ...role })),
  );
}

/** Lists the accounts that may speak as staff in the class. */
export async function listSpeakers(reader: Reader, classId: string): Promise<string[]> {
  const roles = (await listAllRoles(reader)).filter((held) => held.role === 'staff');
  return roles.filter((held) => held.classId === classId).map(({ accountId }) => accountId);
}

export async function listProposedRoles({
  db,
  site: { keys },
}: Reader): Promise<(ProposedRole & { accountId: string })[]> {
  const staff = await getRegisters(keys.personas).read(db, 'staff', allClasses);
  return [...staff].flatMap(([accountId, roles]) =>
    roles.filter((role) => role.role === 'proposed').map((role) => ({ accountId, ...role })),
  );
}

/** A proposed role gives no right. */
const isHeld = (role: StoredRole | ProposedRole): role is StoredRole => role.role !== 'proposed';

/** Adds the role, or if the account already has it, replaces the staff name. */
export async function saveRole(
  { db, site: { keys } }: UnitOfWork,
  { accountId, ...added }: AccountRole | (ProposedRole & { accountId: string }),
): Promise<void> {
  await getRegisters(keys.personas).change(db, 'staff', allClasses, (staff) => {
    const otherRoles = (staff.get(accountId) ?? []).filter(
      (other) => other.classId !== added.classId || other.role !== added.role,
    );
    staff.set(accountId, [...otherRoles, added]);
    return true;
  });
}

interface RoleEntry extends Pick<AccountRole, 'accountId' | 'classId' | 'list'> {
  role: string;
}

/** @returns the deleted roles, without those that were only proposed */
export async function deleteRoles(
  { db, site: { keys } }: UnitOfWork,
  isDeleted: (role: RoleEntry) => boolean,
): Promise<AccountRole[]> {
  const deletedRoles: AccountRole[] = [];
  let hasDeleted = false;
  await getRegisters(keys.personas).change(db, 'staff', allClasses, (staff) => {
    for (const [accountId, roles] of staff) {
      const deleted = roles.filter((role) => isDeleted({ accountId, ...role }));
      const remaining = roles.filter((role) => !deleted.includes(role));
      hasDeleted ||= deleted.length > 0;
      deletedRoles.push(...deleted.filter(isHeld).map((role) => ({ accountId, ...role })));
      if (remaining.length > 0) staff.set(accountId, remaining);
      else staff.delete(accountId);
    }
    return hasDeleted;
  });
  return deletedRoles;
}
