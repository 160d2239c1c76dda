import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  await db.schema.alterTable('enrollments').renameTo('enrollments').execute();
  await db.schema.alterTable('changeEvents').renameTo('changeEvents').execute();
}
