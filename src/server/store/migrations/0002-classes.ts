import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('facts')
    .addColumn('name', 'text', (c) => c.primaryKey().notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('classes')
    .addColumn('classId', 'text', (c) => c.primaryKey().notNull())
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('ordinal', 'bigint', (c) => c.notNull())
    .addColumn('salt', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('name', 'text')
    .addColumn('courseName', 'text')
    .addColumn('subjectAbbreviation', 'text')
    .addColumn('courseNumber', 'text')
    .addColumn('sectionNumber', 'text')
    .addColumn('semesterSeason', 'text')
    .addColumn('classSchedule', 'text')
    .addColumn('beginClassTime', 'text')
    .addColumn('endClassTime', 'text')
    .addColumn('memberCount', 'integer', (c) => c.notNull())
    .addColumn('createdDay', 'integer', (c) => c.notNull())
    .modifyEnd(unordered)
    .execute();
  await db.schema
    .createTable('enrolments')
    .addColumn('accountId', 'text', (c) =>
      c.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
    .addColumn('joinedDay', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('enrolments_key', ['accountId', 'classId'])
    .modifyEnd(unordered)
    .execute();
  await db.schema.createIndex('enrolments_class').on('enrolments').column('classId').execute();
  await db.schema
    .createTable('personas')
    .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
    .addColumn('memberId', 'text', (c) => c.notNull())
    .addColumn('anonymousName', 'text', (c) => c.notNull())
    .addColumn('icon', 'text', (c) => c.notNull())
    .addColumn('readSeq', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('personas_key', ['classId', 'memberId'])
    .modifyEnd(unordered)
    .execute();
}
