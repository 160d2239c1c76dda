import { sql, type Kysely } from 'kysely';

// The id of a deleted account, with the key, finds the personas whose messages stay.
export async function up(db: Kysely<unknown>) {
  await sql`update revocations set ref = ''
          where kind in ('address-changed', 'sessions-ended')
          and ref not in (select id from accounts)`.execute(db);
}
