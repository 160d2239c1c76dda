import type { Reader, Writer } from '../database.ts';

/** What is known about the database as a whole, by name. */
export async function readFact(db: Reader, name: string): Promise<string | null> {
  const row = await db
    .selectFrom('facts')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.value ?? null;
}

export async function writeFact(db: Writer, name: string, value: string): Promise<void> {
  await db
    .insertInto('facts')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

export async function removeFact(db: Writer, name: string): Promise<void> {
  await db.deleteFrom('facts').where('name', '=', name).execute();
}
