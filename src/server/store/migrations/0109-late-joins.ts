import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  await db.schema.alterTable('classes').addColumn('lateJoins', 'integer').execute();
}
