import { sql, type Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema.alterTable('messages').addColumn('votes', 'integer').execute();
  await db.schema.alterTable('messages').addColumn('answerId', 'text').execute();
  await db.schema.alterTable('messages').addColumn('endorsedId', 'text').execute();
  await sql`create index messages_question on messages ("classId", seq) where votes is not null`.execute(
    db,
  );
  await db.schema
    .createTable('questionVotes')
    .addColumn('classId', 'text', (c) => c.notNull())
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('voter', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('questionVotes_key', ['classId', 'seq', 'voter'])
    .modifyEnd(unordered)
    .execute();
}
