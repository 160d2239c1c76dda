import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('waitingQuestions')
    .addColumn('classId', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('memberId', 'text', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('place', 'integer', (c) => c.notNull())
    .addColumn('returned', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('waitingQuestions_key', ['classId', 'id'])
    .modifyEnd(unordered)
    .execute();
}
