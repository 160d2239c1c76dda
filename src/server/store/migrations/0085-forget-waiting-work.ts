import { sql, type Kysely } from 'kysely';

/** The value had a readable number for each moderator, which could tell whose persona was reported. */
export async function up(db: Kysely<unknown>) {
  await sql`delete from "serverMetadata" where name = 'waitingWork'`.execute(db);
}
