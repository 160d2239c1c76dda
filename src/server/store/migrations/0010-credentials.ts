import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

export async function up(db: Kysely<Tables>) {
  // An interrupted sign-up left accounts without credentials, which blocked their addresses.
  await db
    .deleteFrom('accounts')
    .where('id', 'not in', db.selectFrom('credentials').select('userId'))
    .execute();
}
