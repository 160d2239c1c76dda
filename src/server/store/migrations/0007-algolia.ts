import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('searchDue')
    .addColumn('classId', 'text', (c) => c.primaryKey().notNull())
    .addColumn('change', 'integer', (c) => c.notNull())
    .modifyEnd(unordered)
    .execute();
}
