// Sanctions of personas. Membership checks read whether a member has one (see chat/classes/classes-queries.ts).
import type { Selectable } from 'kysely';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';

export type SanctionRow = Selectable<Tables['sanctions']>;

export async function insertSanction(db: DatabaseTransaction, row: SanctionRow): Promise<void> {
  await db.insertInto('sanctions').values(row).execute();
}

/** All sanctions of the member, lifted and expired ones included. */
export async function listSanctions(
  db: Database,
  classId: string,
  memberId: string,
): Promise<SanctionRow[]> {
  return db
    .selectFrom('sanctions')
    .selectAll()
    .where('classId', '=', classId)
    .where('memberId', '=', memberId)
    .orderBy('day', 'desc')
    .orderBy('until', 'desc')
    .orderBy('sanctionId')
    .execute();
}

export async function findSanction(db: Database, sanctionId: string): Promise<SanctionRow | null> {
  const row = await db
    .selectFrom('sanctions')
    .selectAll()
    .where('sanctionId', '=', sanctionId)
    .executeTakeFirst();
  return row ?? null;
}

export async function listSanctionsById(
  db: Database,
  sanctionIds: readonly string[],
): Promise<SanctionRow[]> {
  if (sanctionIds.length === 0) return [];
  return db.selectFrom('sanctions').selectAll().where('sanctionId', 'in', sanctionIds).execute();
}

/** The sanctions of all members, with the salts that derive memberIds. Deleted classes have none. */
export async function listAllSanctions(db: Database): Promise<(SanctionRow & { salt: string })[]> {
  return db
    .selectFrom('sanctions')
    .innerJoin('classes', 'classes.classId', 'sanctions.classId')
    .selectAll('sanctions')
    .select('classes.salt')
    .where('classes.status', '!=', 'deleted')
    .execute();
}

/** The sanctions of these members, lifted and expired ones included. */
export async function listMemberSanctions(
  db: Database,
  classIds: readonly string[],
  memberIds: readonly string[],
): Promise<SanctionRow[]> {
  if (memberIds.length === 0) return [];
  return db
    .selectFrom('sanctions')
    .selectAll()
    .where('classId', 'in', classIds)
    .where('memberId', 'in', memberIds)
    .execute();
}

/** The members whom moderators removed from these classes. */
export async function listRemovedMembers(
  db: Database,
  classIds: readonly string[],
): Promise<Pick<SanctionRow, 'classId' | 'memberId'>[]> {
  if (classIds.length === 0) return [];
  return db
    .selectFrom('sanctions')
    .select(['classId', 'memberId'])
    .where('classId', 'in', classIds)
    .where('kind', '=', 'removed')
    .where('status', '=', 'active')
    .execute();
}

/** @returns false if there is no such active sanction */
export async function markLifted(
  db: DatabaseTransaction,
  { classId, memberId, sanctionId }: Pick<SanctionRow, 'classId' | 'memberId' | 'sanctionId'>,
): Promise<boolean> {
  const result = await db
    .updateTable('sanctions')
    .set({ status: 'lifted' })
    .where('sanctionId', '=', sanctionId)
    .where('classId', '=', classId)
    .where('memberId', '=', memberId)
    .where('status', '=', 'active')
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

export async function deleteMemberSanctions(
  db: DatabaseTransaction,
  classId: string,
  memberId: string,
): Promise<void> {
  await db
    .deleteFrom('sanctions')
    .where('classId', '=', classId)
    .where('memberId', '=', memberId)
    .execute();
}
