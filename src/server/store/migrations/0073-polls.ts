import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  await db.schema.alterTable('messages').addColumn('poll', 'text').execute();
  await db.schema.alterTable('messages').addColumn('pollClosesAt', 'bigint').execute();
  await db.schema.alterTable('messages').addColumn('pollTally', 'text').execute();
  await sql`create index messages_open_poll on messages ("classId", "pollClosesAt") where "pollClosesAt" is not null`.execute(
    db,
  );
  await db.schema.alterTable('questionVotes').addColumn('choices', 'text').execute();
}
