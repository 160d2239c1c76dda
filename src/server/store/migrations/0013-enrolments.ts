import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  // No query used this index, and its pages kept each class's enrolments in the order of joining.
  await db.schema.dropIndex('enrolments_class').execute();
}
