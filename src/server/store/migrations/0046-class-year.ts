import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  await db.schema.alterTable('classes').addColumn('year', 'integer').execute();
  const { rows } = await sql<{ season: string | null; day: number }>`
          select distinct "semesterSeason" as season, "createdDay" as day from classes`.execute(db);
  for (const { season, day } of rows) {
    const created = new Date(day * 86_400_000);
    // From October on, a class for spring is one of the next year.
    const isNextYear = season === 'Spring' && created.getUTCMonth() >= 9;
    const year = created.getUTCFullYear() + (isNextYear ? 1 : 0);
    await sql`update classes set year = ${year} where "createdDay" = ${day}
            and coalesce("semesterSeason", '') = ${season ?? ''}`.execute(db);
  }
}
