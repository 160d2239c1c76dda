import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('blockedAddresses')
    .addColumn('blockId', 'text', (c) => c.primaryKey().notNull())
    .addColumn('mailbox', 'text', (c) => c.notNull().unique())
    .addColumn('content', 'text', (c) => c.notNull())
    .modifyEnd(unordered)
    .execute();
}
