import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  // An interrupted sign-up left accounts without credentials, which blocked their addresses.
  await sql`
    delete from accounts where id not in (select "userId" from credentials)`.execute(db);
}
