import type { Kysely } from 'kysely';

// `resealAccounts` fills the columns, because it needs the server key.
export async function up(db: Kysely<unknown>) {
  for (const table of ['accounts', 'sessions', 'verifications']) {
    await db.schema.alterTable(table).addColumn('times', 'text').execute();
  }
  await db.schema.alterTable('enrolments').addColumn('content', 'text').execute();
}
