import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { binary, unordered }: EngineTypes) {
  await db.schema
    .createTable('outsideReports')
    .addColumn('reportId', 'text', (c) => c.primaryKey().notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('day', 'integer', (c) => c.notNull())
    .addColumn('content', binary, (c) => c.notNull())
    .modifyEnd(unordered)
    .execute();
}
