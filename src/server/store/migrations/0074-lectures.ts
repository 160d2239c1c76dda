import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema.alterTable('classSettings').addColumn('lecture', 'text').execute();
  await db.schema
    .alterTable('messages')
    .addColumn('done', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('presenterLinks')
    .addColumn('classId', 'text', (c) => c.notNull())
    .addColumn('token', 'text', (c) => c.notNull())
    .addColumn('lectureId', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('presenterLinks_key', ['classId', 'token'])
    .modifyEnd(unordered)
    .execute();
}
