import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  await db.schema.alterTable('accounts').addColumn('signOnKey', 'text').execute();
  await db.schema
    .createIndex('accounts_sign_on')
    .on('accounts')
    .column('signOnKey')
    .unique()
    .execute();
}
