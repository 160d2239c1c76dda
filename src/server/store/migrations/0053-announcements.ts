import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('announcements')
    .addColumn('announcementId', 'text', (c) => c.primaryKey().notNull())
    .addColumn('classId', 'text', (c) => c.references('classes.classId'))
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('announcedAt', 'bigint', (c) => c.notNull())
    .addColumn('endsAt', 'bigint', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .modifyEnd(unordered)
    .execute();
}
