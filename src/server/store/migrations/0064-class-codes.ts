import { sql, type Kysely } from 'kysely';

/** An import looks each of its lines up by term and code. */
export async function up(db: Kysely<unknown>) {
  await sql`create index classes_code on classes
    ("semesterSeason", year, lower(trim("courseNumber")), lower(trim("subjectAbbreviation")))`.execute(
    db,
  );
}
