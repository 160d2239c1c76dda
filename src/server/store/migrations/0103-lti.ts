import type { Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .createTable('ltiPlatforms')
    .addColumn('platformId', 'text', (c) => c.primaryKey().notNull())
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('clientId', 'text', (c) => c.notNull())
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('authorizationUrl', 'text', (c) => c.notNull())
    .addColumn('keySetUrl', 'text', (c) => c.notNull())
    .addColumn('deployments', 'text', (c) => c.notNull())
    .addColumn('grantsStaff', 'integer', (c) => c.notNull())
    .addUniqueConstraint('ltiPlatforms_client', ['issuer', 'clientId'])
    .modifyEnd(unordered)
    .execute();
  await db.schema
    .createTable('ltiCourses')
    .addColumn('platformId', 'text', (c) => c.notNull())
    .addColumn('deploymentId', 'text', (c) => c.notNull())
    .addColumn('contextId', 'text', (c) => c.notNull())
    .addColumn('classId', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('ltiCourses_key', ['platformId', 'deploymentId', 'contextId'])
    .modifyEnd(unordered)
    .execute();
  await db.schema.createIndex('ltiCourses_classId').on('ltiCourses').column('classId').execute();
  await db.schema
    .createTable('ltiUsedTokens')
    .addColumn('hash', 'text', (c) => c.primaryKey().notNull())
    .addColumn('expiresAt', 'bigint', (c) => c.notNull())
    .addColumn('content', 'text')
    .modifyEnd(unordered)
    .execute();
}
