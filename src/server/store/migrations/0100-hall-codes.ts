import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  // A code to type is a link that ends after some minutes, and is found without its class.
  await db.schema.alterTable('presenterLinks').addColumn('expiresAt', 'bigint').execute();
  await db.schema
    .createIndex('presenterLinks_token')
    .on('presenterLinks')
    .column('token')
    .execute();
}
