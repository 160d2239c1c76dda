import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { oftenUpdated }: EngineTypes) {
  await db.schema
    .createTable('commitReceipts')
    .addColumn('queue', 'text', (c) => c.primaryKey().notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .modifyEnd(oftenUpdated)
    .execute();
}
