// The roles of accounts. One register has those of all classes, so no copy of the database without the server key tells who has a
// role, nor in which class one was granted. A school has few roles.
import type { KeyObject } from 'node:crypto';
import { allClasses, getRegisters, type StoredRole } from '#server/store/registers.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';

export interface AccountRole extends StoredRole {
  accountId: string;
}

export async function listRoles(
  db: Database,
  personaKey: KeyObject,
  accountId: string,
): Promise<readonly StoredRole[]> {
  const staff = await getRegisters(personaKey).read(db, 'staff', allClasses);
  return staff.get(accountId) ?? [];
}

/** Lists the roles of all accounts that fit. */
export async function listAllRoles(
  db: Database,
  personaKey: KeyObject,
  isFitting: (role: StoredRole) => boolean = () => true,
): Promise<AccountRole[]> {
  const staff = await getRegisters(personaKey).read(db, 'staff', allClasses);
  return [...staff].flatMap(([accountId, roles]) =>
    roles.filter(isFitting).map((role) => ({ accountId, ...role })),
  );
}

/** Adds the role, or if the account already has it, replaces the staff name. */
export async function saveRole(
  db: DatabaseTransaction,
  personaKey: KeyObject,
  { accountId, classId, role, staffName }: AccountRole,
): Promise<void> {
  await getRegisters(personaKey).change(db, 'staff', allClasses, (staff) => {
    const otherRoles = (staff.get(accountId) ?? []).filter(
      (other) => other.classId !== classId || other.role !== role,
    );
    staff.set(accountId, [...otherRoles, { classId, role, staffName }]);
    return true;
  });
}

/** @returns the deleted roles */
export async function deleteRoles(
  db: DatabaseTransaction,
  personaKey: KeyObject,
  isDeleted: (role: AccountRole) => boolean,
): Promise<StoredRole[]> {
  const deletedRoles: StoredRole[] = [];
  await getRegisters(personaKey).change(db, 'staff', allClasses, (staff) => {
    for (const [accountId, roles] of staff) {
      const deleted = roles.filter((role) => isDeleted({ accountId, ...role }));
      const remaining = roles.filter((role) => !deleted.includes(role));
      deletedRoles.push(...deleted);
      if (remaining.length > 0) staff.set(accountId, remaining);
      else staff.delete(accountId);
    }
    return deletedRoles.length > 0;
  });
  return deletedRoles;
}
