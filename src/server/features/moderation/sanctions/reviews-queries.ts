// Reviews: escalations and appeals of cases, with the decisions on them.
import type { Selectable } from 'kysely';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';

export type ReviewRow = Selectable<Tables['reviews']>;

/** Whether only operators decide the review: an escalation, or an appeal against a suspension. */
export const isReviewForOperators = ({
  kind,
  subjectKind,
}: Pick<ReviewRow, 'kind' | 'subjectKind'>): boolean =>
  kind === 'escalation' || subjectKind === 'suspension';

export async function findReview(db: Database, reviewId: string): Promise<ReviewRow | null> {
  const row = await db
    .selectFrom('reviews')
    .selectAll()
    .where('reviewId', '=', reviewId)
    .executeTakeFirst();
  return row ?? null;
}

export async function findReviewBySubject(
  db: Database,
  subject: string,
): Promise<ReviewRow | null> {
  const row = await db
    .selectFrom('reviews')
    .selectAll()
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row ?? null;
}

/** Decided reviews of these sanctions. */
export async function listDecidedReviews(
  db: Database,
  subjects: readonly string[],
): Promise<ReviewRow[]> {
  if (subjects.length === 0) return [];
  return db
    .selectFrom('reviews')
    .selectAll()
    .where('subject', 'in', subjects)
    .where('status', '=', 'decided')
    .execute();
}

/** Escalations first. A case has no more appeals than sanctions. */
export async function listReviews(db: Database, caseIds: readonly string[]): Promise<ReviewRow[]> {
  if (caseIds.length === 0) return [];
  return db
    .selectFrom('reviews')
    .selectAll()
    .where('caseId', 'in', caseIds)
    .orderBy('kind', 'desc')
    .orderBy('day')
    .orderBy('reviewId')
    .execute();
}

export type ReviewChange = Partial<
  Pick<
    ReviewRow,
    | 'text'
    | 'status'
    | 'version'
    | 'decision'
    | 'days'
    | 'reason'
    | 'decidedBy'
    | 'decider'
    | 'effectiveAt'
  >
>;

export async function updateReview(
  db: DatabaseTransaction,
  reviewId: string,
  change: ReviewChange,
): Promise<void> {
  await db.updateTable('reviews').set(change).where('reviewId', '=', reviewId).execute();
}

/** After a change of the server key, no account has them. */
export async function clearDeciders(db: DatabaseTransaction): Promise<void> {
  await db.updateTable('cases').set({ decider: null }).execute();
  await db.updateTable('reviews').set({ decider: null }).execute();
}

/** Reviews whose decision took effect by this time and that still hold a text. */
export async function listReviewsToErase(
  db: Database,
  decidedBy: number,
  limit: number,
): Promise<ReviewRow[]> {
  return db
    .selectFrom('reviews')
    .selectAll()
    .where('status', '=', 'decided')
    .where('effectiveAt', '<=', decidedBy)
    .where('text', 'is not', null)
    .limit(limit)
    .execute();
}

/** Reviews that hold a text, a page at a time, by id. */
export async function listReviewsAfter(
  db: Database,
  reviewId: string,
  limit: number,
): Promise<ReviewRow[]> {
  return db
    .selectFrom('reviews')
    .selectAll()
    .where('text', 'is not', null)
    .where('reviewId', '>', reviewId)
    .orderBy('reviewId')
    .limit(limit)
    .execute();
}

export async function clearReviewTexts(db: DatabaseTransaction): Promise<void> {
  await db.updateTable('reviews').set({ text: null }).execute();
}

/** The member's appeals of sanctions. Those of a suspension stay with it. */
export async function deletePersonaAppeals(
  db: DatabaseTransaction,
  classId: string,
  memberId: string,
): Promise<void> {
  await db
    .deleteFrom('reviews')
    .where('classId', '=', classId)
    .where('memberId', '=', memberId)
    .where('subjectKind', '!=', 'suspension')
    .execute();
}
