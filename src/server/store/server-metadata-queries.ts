// Values that the server stores about its database, such as its epoch and the check value of its key.
import { sql } from 'kysely';
import { createRandomId } from '#server/base/random-id.ts';
import type { Database, DatabaseTransaction } from './tables.ts';

export async function findMetadata(db: Database, name: string): Promise<string | null> {
  const row = await db
    .selectFrom('serverMetadata')
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
    .insertInto('serverMetadata')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/**
 * @param expectedValue null if no value is expected
 * @returns false if another commit has replaced the expected value
 */
export async function replaceMetadata(
  db: DatabaseTransaction,
  name: string,
  expectedValue: string | null,
  value: string,
): Promise<boolean> {
  if (expectedValue === null) return (await insertMetadataOnce(db, name, value)) === value;
  const replacedRow = await db
    .updateTable('serverMetadata')
    .set({ value })
    .where('name', '=', name)
    .where('value', '=', expectedValue)
    .returning('name')
    .executeTakeFirst();
  return replacedRow !== undefined;
}

/** Inserts the value if none is stored. @returns the stored value */
export async function insertMetadataOnce(
  db: Database,
  name: string,
  value: string,
): Promise<string> {
  await db
    .insertInto('serverMetadata')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return (await findMetadata(db, name)) ?? value;
}

/** Finds the value and locks its row, so that other transactions which change the value wait for this one. */
export async function lockMetadata(db: DatabaseTransaction, name: string): Promise<string | null> {
  const row = await db
    .updateTable('serverMetadata')
    .set({ name })
    .where('name', '=', name)
    .returning('value')
    .executeTakeFirst();
  return row?.value ?? null;
}

export async function deleteMetadata(db: DatabaseTransaction, name: string): Promise<void> {
  await db.deleteFrom('serverMetadata').where('name', '=', name).execute();
}

/** Creates a random id of the database's history. If the id changes, a browser cannot catch up from its replica. */
export function createEpoch(): string {
  return createRandomId();
}

/** Starts another history of a restored database, because browsers may have received entries of the log that it lacks. */
export async function startNewEpoch(db: DatabaseTransaction): Promise<void> {
  await writeMetadata(db, 'epoch', createEpoch());
  await sql`delete from "outgoingMails"`.execute(db);
}
