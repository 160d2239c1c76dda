import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { binary, unordered }: EngineTypes) {
  await db.schema
    .createTable('registers')
    .addColumn('classId', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('content', binary, (c) => c.notNull())
    .addPrimaryKeyConstraint('registers_key', ['classId', 'kind'])
    .modifyEnd(unordered)
    .execute();
}
