import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('messages')
    .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('ordinal', 'bigint', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('memberId', 'text', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('createdAt', 'bigint', (c) => c.notNull())
    .addColumn('editedAt', 'bigint')
    .addColumn('replyTo', 'text')
    .addColumn('deleted', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('messages_key', ['classId', 'seq'])
    .addUniqueConstraint('messages_id', ['classId', 'id'])
    .modifyEnd(unordered)
    .execute();
  await db.schema
    .createTable('reactions')
    .addColumn('classId', 'text', (c) => c.notNull())
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('memberId', 'text', (c) => c.notNull())
    .addColumn('emoji', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('reactions_key', ['classId', 'seq', 'memberId'])
    .modifyEnd(unordered)
    .execute();
  await db.schema
    .createTable('log')
    .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('ref', 'text', (c) => c.notNull())
    .addColumn('memberId', 'text')
    .addPrimaryKeyConstraint('log_key', ['classId', 'seq'])
    .modifyEnd(unordered)
    .execute();
}
