import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('classSettings')
    .addColumn('classId', 'text', (c) => c.primaryKey().notNull().references('classes.classId'))
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('slowModeSeconds', 'integer', (c) => c.notNull())
    .addColumn('readOnly', 'integer', (c) => c.notNull())
    .addColumn('picturesOff', 'integer', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('rules', 'text', (c) => c.notNull())
    .addColumn('pins', 'text', (c) => c.notNull())
    .modifyEnd(unordered)
    .execute();
}
