import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  for (const table of ['cases', 'reviews']) {
    await db.schema.alterTable(table).addColumn('decider', 'text').execute();
  }
  await db.schema
    .alterTable('personas')
    .addColumn('unlinked', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`update personas set unlinked = 1 where "classId" in
          (select "classId" from classes
           where (status = 'archived' or "statusBefore" = 'archived')
           and "reopenableUntil" is null)`.execute(db);
}
