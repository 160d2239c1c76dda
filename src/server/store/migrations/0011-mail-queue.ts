import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('outgoingMails')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('dueAt', 'bigint', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .modifyEnd(unordered)
    .execute();
}
