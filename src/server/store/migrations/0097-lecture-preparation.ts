import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  await db.schema.alterTable('classSettings').addColumn('lectureZone', 'text').execute();
  await db.schema.alterTable('classSettings').addColumn('lectureStartedAt', 'bigint').execute();
  await sql`create index "classSettings_planned" on "classSettings" ("classId") where "lectureZone" is not null`.execute(
    db,
  );
}
