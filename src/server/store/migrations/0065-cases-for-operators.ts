import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  await db.schema
    .alterTable('cases')
    .addColumn('forOperators', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
