import { sql, type Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema.alterTable('messages').addColumn('image', 'text').execute();
  await db.schema
    .createTable('images')
    .addColumn('imageId', 'text', (c) => c.primaryKey().notNull())
    .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
    .addColumn('memberId', 'text', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('shape', 'text', (c) => c.notNull())
    .addColumn('keptUntil', 'bigint')
    .modifyEnd(unordered)
    .execute();
  await db.schema
    .createIndex('images_due')
    .on('images')
    .column('keptUntil')
    .where(sql.ref('keptUntil'), 'is not', null)
    .execute();
}
