import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';
import { prepareQuery } from '#server/store/prepare-query.ts';

export type PreferenceRow = Tables['preferences'];
type Key = Pick<PreferenceRow, 'classId' | 'owner'>;

const selectContent = prepareQuery((db, $: Key) =>
  db
    .selectFrom('preferences')
    .select('content')
    .where('classId', '=', $.classId)
    .where('owner', '=', $.owner),
);

/** @returns the sealed content, or null */
export async function findPreferences(db: Database, key: Key): Promise<string | null> {
  return (await selectContent(db, key))[0]?.content ?? null;
}

/** Every owner who has a row in the class. */
export async function listPreferenceOwners(db: Database, classId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('preferences')
    .select('owner')
    .where('classId', '=', classId)
    .execute();
  return rows.map(({ owner }) => owner);
}

export async function savePreferences(
  db: DatabaseTransaction,
  { classId, owner, content }: PreferenceRow,
): Promise<void> {
  await db
    .insertInto('preferences')
    .values({ classId, owner, content })
    .onConflict((conflict) => conflict.columns(['classId', 'owner']).doUpdateSet({ content }))
    .execute();
}

/** @returns false if there is no such row */
export async function replacePreferences(
  db: DatabaseTransaction,
  { classId, owner, content }: PreferenceRow,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('preferences')
    .set({ content })
    .where('classId', '=', classId)
    .where('owner', '=', owner)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** @param classId null for all classes */
export async function deleteAllPreferences(
  db: DatabaseTransaction,
  classId: string | null = null,
): Promise<void> {
  const deletion = db.deleteFrom('preferences');
  await (classId === null ? deletion : deletion.where('classId', '=', classId)).execute();
}
