import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  await db.schema.alterTable('classSettings').addColumn('topics', 'text').execute();
  await db.schema.alterTable('waitingQuestions').addColumn('topicId', 'text').execute();
  await db.schema.alterTable('messages').addColumn('topicId', 'text').execute();
  await sql`create index messages_topic on messages ("classId", "topicId", seq) where "topicId" is not null`.execute(
    db,
  );
}
