import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('suspensions')
    .addColumn('suspensionId', 'text', (c) => c.primaryKey().notNull())
    .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
    .addColumn('memberId', 'text', (c) => c.notNull())
    .addColumn('caseId', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .modifyEnd(unordered)
    .execute();
  await db.schema
    .createTable('reviews')
    .addColumn('reviewId', 'text', (c) => c.primaryKey().notNull())
    .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
    .addColumn('memberId', 'text', (c) => c.notNull())
    .addColumn('caseId', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull().unique())
    .addColumn('subjectKind', 'text')
    .addColumn('text', 'text')
    .addColumn('day', 'integer', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('decision', 'text')
    .addColumn('days', 'integer')
    .addColumn('reason', 'text')
    .addColumn('decidedBy', 'text')
    .addColumn('effectiveAt', 'bigint')
    .modifyEnd(unordered)
    .execute();
  await db.schema.createIndex('reviews_case').on('reviews').column('caseId').execute();
  await db.schema
    .createIndex('reviews_status')
    .on('reviews')
    .columns(['status', 'effectiveAt'])
    .execute();
  await db.schema
    .alterTable('cases')
    .addColumn('escalates', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
