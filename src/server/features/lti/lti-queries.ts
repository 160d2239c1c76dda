import type { Selectable } from 'kysely';
import { hashToken } from '#server/base/random-id.ts';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';
import { getCoarseExpiry } from '#server/store/used-tokens-queries.ts';

export type PlatformRow = Selectable<Tables['ltiPlatforms']>;
/** Names a course. Only the stored pair of it and a class decides where the course leads. */
export type CourseKey = Pick<Tables['ltiCourses'], 'platformId' | 'deploymentId' | 'contextId'>;

export async function listPlatforms(db: Database): Promise<PlatformRow[]> {
  return db.selectFrom('ltiPlatforms').selectAll().orderBy('issuer').orderBy('clientId').execute();
}

/** Finds the platform that calls itself `issuer` and gave this site `clientId`. */
export async function findPlatformOfClient(
  db: Database,
  { issuer, clientId }: Pick<PlatformRow, 'issuer' | 'clientId'>,
): Promise<PlatformRow | null> {
  const row = await db
    .selectFrom('ltiPlatforms')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('clientId', '=', clientId)
    .executeTakeFirst();
  return row ?? null;
}

/** Adds the platform, or replaces what is stored of it. */
export async function savePlatform(db: DatabaseTransaction, row: PlatformRow): Promise<void> {
  const { platformId: _, ...values } = row;
  await db
    .insertInto('ltiPlatforms')
    .values(row)
    .onConflict((conflict) => conflict.columns(['issuer', 'clientId']).doUpdateSet(values))
    .execute();
}

/**
 * Adds the first deployment of a platform that registered itself without one.
 *
 * @returns whether the platform has this deployment
 */
export async function adoptDeployment(
  db: DatabaseTransaction,
  { platformId, deploymentId }: CourseKey,
): Promise<boolean> {
  const deployments = JSON.stringify([deploymentId]);
  const { numUpdatedRows } = await db
    .updateTable('ltiPlatforms')
    .set({ deployments })
    .where('platformId', '=', platformId)
    .where('deployments', 'in', ['[]', deployments])
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Deletes the platform with the links of its courses. */
export async function deletePlatform(db: DatabaseTransaction, platformId: string): Promise<void> {
  await db.deleteFrom('ltiPlatforms').where('platformId', '=', platformId).execute();
  await db.deleteFrom('ltiCourses').where('platformId', '=', platformId).execute();
}

export async function findLinkedClassId(db: Database, course: CourseKey): Promise<string | null> {
  const row = await db
    .selectFrom('ltiCourses')
    .select('classId')
    .where('platformId', '=', course.platformId)
    .where('deploymentId', '=', course.deploymentId)
    .where('contextId', '=', course.contextId)
    .executeTakeFirst();
  return row?.classId ?? null;
}

/** Links the course, or replaces its link. */
export async function saveCourseLink(
  db: DatabaseTransaction,
  { platformId, deploymentId, contextId }: CourseKey,
  classId: string,
): Promise<void> {
  await db
    .insertInto('ltiCourses')
    .values({ platformId, deploymentId, contextId, classId })
    .onConflict((conflict) =>
      conflict.columns(['platformId', 'deploymentId', 'contextId']).doUpdateSet({ classId }),
    )
    .execute();
}

/** Keeps, for an hour, encrypted content that this token finds again. */
export async function savePendingAnswer(
  db: DatabaseTransaction,
  token: string,
  content: string,
): Promise<void> {
  const row = { hash: hashToken(token), content, expiresAt: getCoarseExpiry() };
  await db
    .insertInto('ltiUsedTokens')
    .values(row)
    .onConflict((conflict) => conflict.column('hash').doUpdateSet(row))
    .execute();
}

export async function findPendingAnswer(db: Database, token: string): Promise<string | null> {
  const row = await db
    .selectFrom('ltiUsedTokens')
    .select('content')
    .where('hash', '=', hashToken(token))
    .executeTakeFirst();
  return row?.content ?? null;
}
