import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

// The server indexes earlier messages in the background, so a large database starts without delay.
export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('messageWords')
    .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
    .addColumn('bucket', 'integer', (c) => c.notNull())
    .addColumn('block', 'integer', (c) => c.notNull())
    .addColumn('entries', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('messageWords_key', ['classId', 'bucket', 'block'])
    .modifyEnd(unordered)
    .execute();
}
