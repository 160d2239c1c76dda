import { sql, type Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema.createIndex('auditLog_act').on('auditLog').columns(['act', 'at']).execute();
  await db.schema.createIndex('auditLog_class').on('auditLog').columns(['classId', 'at']).execute();
  await db.schema
    .createTable('unmaskingHistory')
    .addColumn('number', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('unmaskings')
    .addColumn('requestId', 'text', (c) => c.primaryKey().notNull())
    .addColumn('number', 'bigint', (c) => c.notNull().unique())
    .addColumn('caseId', 'text', (c) => c.notNull())
    .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('requestedBy', 'text', (c) => c.notNull())
    .addColumn('requester', 'text', (c) => c.notNull())
    .addColumn('requestedAt', 'bigint', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('closedBy', 'text')
    .modifyEnd(unordered)
    .execute();
  await db.schema.createIndex('unmaskings_case').on('unmaskings').column('caseId').execute();
  await db.schema.createIndex('unmaskings_class').on('unmaskings').column('classId').execute();
  await db.schema
    .createTable('reportCounts')
    .addColumn('day', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('reports', 'integer', (c) => c.notNull())
    .execute();
  // Earlier reports that are already erased stay uncounted.
  await sql`insert into "reportCounts" ("day", "reports")
          select "day", count(*) from "reports" group by "day"`.execute(db);
}
