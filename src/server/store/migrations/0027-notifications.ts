import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  await db.schema.alterTable('sessions').addColumn('push', 'text').execute();
  await db.schema.alterTable('accounts').addColumn('notifications', 'text').execute();
  await db.schema.alterTable('enrolments').addColumn('notify', 'text').execute();
}
