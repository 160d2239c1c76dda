import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  await db.schema.alterTable('personas').addColumn('nameKey', 'text').execute();
  await db.schema
    .createIndex('personas_name')
    .on('personas')
    .columns(['classId', 'nameKey'])
    .unique()
    .execute();
}
