import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  // A search reads the messages of a class instead of an index of their words.
  await db.schema.dropTable('messageWords').execute();
  await sql`delete from "serverMetadata" where name = 'messageIndex'`.execute(db);
  // An import looks each of its lines up by term and code, and 'MATH 030' is 'MATH 30'.
  await sql`drop index classes_code`.execute(db);
  const toKey = (column: string) =>
    sql`ltrim(replace(replace(replace(lower(${sql.ref(column)}), ' ', ''), '.', ''), '-', ''), '0')`;
  await sql`create index classes_code on classes
    ("semesterSeason", year, ${toKey('courseNumber')}, ${toKey('subjectAbbreviation')})`.execute(
    db,
  );
}
