import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('mentions')
    .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('memberId', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('mentions_key', ['classId', 'seq', 'memberId'])
    .modifyEnd(unordered)
    .execute();
  await db.schema
    .createIndex('mentions_of')
    .on('mentions')
    .columns(['classId', 'memberId', 'seq'])
    .execute();
}
