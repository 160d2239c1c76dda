import { sql, type Kysely } from 'kysely';
import { getToday } from '#server/base/days.ts';

export async function up(db: Kysely<unknown>) {
  await db.schema.alterTable('classes').addColumn('endedDay', 'integer').execute();
  // The day is unknown, so their messages stay as long as those of a class that ends now.
  await sql`update classes set "endedDay" = ${getToday()}
          where status = 'archived' or "statusBefore" = 'archived'`.execute(db);
}
