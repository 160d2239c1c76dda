import { sql, type Kysely } from 'kysely';
import { getToday } from '#server/base/days.ts';

export async function up(db: Kysely<unknown>) {
  await db.schema.alterTable('classes').addColumn('deletedDay', 'integer').execute();
  await db.schema.alterTable('classes').addColumn('statusBefore', 'text').execute();
  await sql`update classes set "deletedDay" = ${getToday()}, "statusBefore" = 'active'
          where status = 'deleted'`.execute(db);
}
