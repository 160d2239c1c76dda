import { sql, type Kysely } from 'kysely';

/** A search reads the messages of a class instead of an index of their words. */
export async function up(db: Kysely<unknown>) {
  await db.schema.dropTable('messageWords').execute();
  await sql`delete from "serverMetadata" where name = 'messageIndex'`.execute(db);
}
