import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, types: EngineTypes) {
  await db.schema.alterTable('messages').addColumn('moderation', 'text').execute();
  await createRoles(db, types);
  await createCases(db, types);
  await createReports(db, types);
  await createSanctions(db, types);
  await createAuditLog(db);
}

async function createRoles(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('roles')
    .addColumn('accountId', 'text', (c) =>
      c.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('classId', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('staffName', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('roles_key', ['accountId', 'classId'])
    .modifyEnd(unordered)
    .execute();
}

async function createCases(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('cases')
    .addColumn('caseId', 'text', (c) => c.primaryKey().notNull())
    .addColumn('number', 'bigint', (c) => c.notNull().unique())
    .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
    .addColumn('memberId', 'text', (c) => c.notNull())
    .addColumn('messageId', 'text')
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('evidence', 'text')
    .addColumn('decision', 'text')
    .addColumn('sanctionKind', 'text')
    .addColumn('sanctionHours', 'integer')
    .addColumn('reason', 'text')
    .addColumn('decidedBy', 'text')
    .addColumn('effectiveAt', 'bigint')
    .modifyEnd(unordered)
    .execute();
  await db.schema
    .createIndex('cases_message')
    .on('cases')
    .columns(['classId', 'messageId'])
    .execute();
  await db.schema
    .createIndex('cases_member')
    .on('cases')
    .columns(['classId', 'memberId'])
    .execute();
  await db.schema
    .createIndex('cases_status')
    .on('cases')
    .columns(['status', 'effectiveAt'])
    .execute();
}

async function createReports(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('reports')
    .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
    .addColumn('reporter', 'text', (c) => c.notNull())
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('caseId', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('day', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('reports_key', ['classId', 'reporter', 'target'])
    .modifyEnd(unordered)
    .execute();
  await db.schema.createIndex('reports_case').on('reports').column('caseId').execute();
}

async function createSanctions(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('sanctions')
    .addColumn('sanctionId', 'text', (c) => c.primaryKey().notNull())
    .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
    .addColumn('memberId', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('until', 'bigint')
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('staffName', 'text', (c) => c.notNull())
    .addColumn('day', 'integer', (c) => c.notNull())
    .addColumn('caseId', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .modifyEnd(unordered)
    .execute();
  await db.schema
    .createIndex('sanctions_member')
    .on('sanctions')
    .columns(['classId', 'memberId'])
    .execute();
}

async function createAuditLog(db: Kysely<unknown>) {
  await db.schema
    .createTable('auditLog')
    .addColumn('number', 'bigint', (c) => c.primaryKey().notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('staffName', 'text', (c) => c.notNull())
    .addColumn('act', 'text', (c) => c.notNull())
    .addColumn('classId', 'text')
    .addColumn('memberId', 'text')
    .addColumn('caseId', 'text')
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull())
    .execute();
}
