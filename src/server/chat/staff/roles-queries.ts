// The roles of accounts in classes. The class '' stands for all classes.
import { sql, type Selectable } from 'kysely';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';
import { prepareQuery } from '#server/store/prepare-query.ts';

export type RoleRow = Selectable<Tables['roles']>;

export const allClasses = '';

export async function listRoles(db: Database, accountId: string): Promise<RoleRow[]> {
  return db.selectFrom('roles').selectAll().where('accountId', '=', accountId).execute();
}

/** All roles, sorted by class. */
export async function listAllRoles(db: Database): Promise<RoleRow[]> {
  return db.selectFrom('roles').selectAll().orderBy('classId').execute();
}

const selectStaff = prepareQuery((db, $: { classId: string }) =>
  db
    .selectFrom('roles')
    .selectAll()
    .where('classId', '=', $.classId)
    .where('role', '=', sql.lit('staff')),
);

/** The roles of the accounts that may speak as staff in the class. */
export async function listSpeakers(db: Database, classId: string): Promise<RoleRow[]> {
  return selectStaff(db, { classId });
}

/** Counts the roles that are for this class only. */
export async function countRolesIn(db: Database, classId: string): Promise<number> {
  const row = await db
    .selectFrom('roles')
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .where('classId', '=', classId)
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

/** The roles of accounts that moderate this class or all classes. */
export async function listModerators(db: Database, classId: string): Promise<RoleRow[]> {
  return db
    .selectFrom('roles')
    .selectAll()
    .where('classId', 'in', [classId, allClasses])
    .where('role', '<>', 'staff')
    .execute();
}

/** Inserts the role, or if the account already has it, replaces the staff name. */
export async function saveRole(db: DatabaseTransaction, row: RoleRow): Promise<void> {
  const { staffName } = row;
  await db
    .insertInto('roles')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['accountId', 'classId', 'role']).doUpdateSet({ staffName }),
    )
    .execute();
}

/**
 * @param role null for all roles
 * @returns the deleted roles of the account in the class
 */
export async function deleteRoles(
  db: DatabaseTransaction,
  { accountId, classId, role }: Pick<RoleRow, 'accountId' | 'classId'> & { role: string | null },
): Promise<RoleRow[]> {
  return db
    .deleteFrom('roles')
    .where('accountId', '=', accountId)
    .where('classId', '=', classId)
    .$if(role !== null, (query) => query.where('role', '=', role as RoleRow['role']))
    .returningAll()
    .execute();
}
