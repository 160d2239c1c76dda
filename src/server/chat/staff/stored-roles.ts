// The roles of accounts. One register has those of all classes, because a school has few: every right is found by one version,
// and a change of the register does not tell the class (decision 47).
import { allClasses, getRegisters, type StoredRole } from '#server/store/registers.ts';
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
  return staff.get(accountId) ?? [];
}

export async function listAllRoles({ db, site: { keys } }: Reader): Promise<AccountRole[]> {
  const staff = await getRegisters(keys.personas).read(db, 'staff', allClasses);
  return [...staff].flatMap(([accountId, roles]) => roles.map((role) => ({ accountId, ...role })));
}

/** Adds the role, or if the account already has it, replaces the staff name. */
export async function saveRole(
  { db, site: { keys } }: UnitOfWork,
  { accountId, classId, role, staffName }: AccountRole,
): Promise<void> {
  await getRegisters(keys.personas).change(db, 'staff', allClasses, (staff) => {
    const otherRoles = (staff.get(accountId) ?? []).filter(
      (other) => other.classId !== classId || other.role !== role,
    );
    staff.set(accountId, [...otherRoles, { classId, role, staffName }]);
    return true;
  });
}

/** @returns the deleted roles */
export async function deleteRoles(
  { db, site: { keys } }: UnitOfWork,
  isDeleted: (role: AccountRole) => boolean,
): Promise<AccountRole[]> {
  const deletedRoles: AccountRole[] = [];
  await getRegisters(keys.personas).change(db, 'staff', allClasses, (staff) => {
    for (const [accountId, roles] of staff) {
      const deleted = roles.filter((role) => isDeleted({ accountId, ...role }));
      const remaining = roles.filter((role) => !deleted.includes(role));
      deletedRoles.push(...deleted.map((role) => ({ accountId, ...role })));
      if (remaining.length > 0) staff.set(accountId, remaining);
      else staff.delete(accountId);
    }
    return deletedRoles.length > 0;
  });
  return deletedRoles;
}
