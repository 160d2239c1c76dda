import type { Database, DatabaseTransaction } from '../database.ts';

/** Reads one metadata value of the database. */
export async function readMetadata(db: Database, name: string): Promise<string | null> {
  const row = await db
    .selectFrom('facts')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.value ?? null;
}

export async function writeMetadata(
  db: DatabaseTransaction,
  name: string,
  value: string,
): Promise<void> {
  await db
    .insertInto('facts')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

export async function deleteMetadata(db: DatabaseTransaction, name: string): Promise<void> {
  await db.deleteFrom('facts').where('name', '=', name).execute();
}
