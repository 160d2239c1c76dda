import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('privateQuestions')
    .addColumn('classId', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('askerId', 'text', (c) => c.notNull())
    .addColumn('place', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('nextState', 'text')
    .addPrimaryKeyConstraint('privateQuestions_key', ['classId', 'id'])
    .modifyEnd(unordered)
    .execute();
  await db.schema
    .createTable('privateTurns')
    .addColumn('classId', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('questionId', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('memberId', 'text', (c) => c.notNull())
    .addColumn('staffName', 'text', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('held', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('privateTurns_key', ['classId', 'id'])
    .modifyEnd(unordered)
    .execute();
}
