import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('readMarks')
    .addColumn('classId', 'text', (c) => c.notNull())
    .addColumn('reader', 'text', (c) => c.notNull())
    .addColumn('position', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('readMarks_key', ['classId', 'reader'])
    .modifyEnd(unordered)
    .execute();
  // The old positions belong to personas. They cannot move, because no row links a persona to its reader:
  // every class counts as read until its next message.
  await db.schema.alterTable('personas').dropColumn('readSeq').execute();
}
