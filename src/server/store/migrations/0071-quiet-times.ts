import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  await db.schema
    .alterTable('classSettings')
    .addColumn('quietTimes', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute();
}
