import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  await db.schema.alterTable('enrolments').renameTo('enrollments').execute();
  await db.schema.alterTable('revocations').renameTo('changeEvents').execute();
}
