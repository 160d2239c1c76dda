import { sql, type Kysely } from 'kysely';

// Their order was the order in which operators ended the sessions of accounts.
export async function up(db: Kysely<unknown>) {
  await sql`update revocations set ref = ''
          where kind in ('address-changed', 'sessions-ended')`.execute(db);
}
