import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  await db.schema.alterTable('accounts').addColumn('lastUse', 'text').execute();
}
