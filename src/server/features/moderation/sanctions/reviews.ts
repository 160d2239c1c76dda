// Reviews: the steps of a case after its decision. Operators decide escalations, and moderators decide appeals.
import type { KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { getToday } from '#server/base/days.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { listReviewsAfter, updateReview, type ReviewRow } from './reviews-queries.ts';
import { listSanctionsById } from '#server/chat/members/sanctions-queries.ts';
import { findSuspension, listSuspensionsBy } from '#server/chat/staff/suspensions-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import { findCase } from '#server/features/moderation/reports/cases-queries.ts';
import type { ModerationKeys, SuspensionKeys } from '#server/chat/staff/keys.ts';
import { closeAppeal } from './lift-sanction.ts';
import { isActive } from '#server/chat/members/sanctions.ts';
import {
  isInForce,
  markSuspensionLifted,
  decryptSuspension,
} from '#server/chat/staff/suspensions.ts';

/** All texts have the same size, which fits the longest appeal. */
const paddedBytes = 4096;
const reviewsPerPage = 20;

export type NewReview = Pick<
  ReviewRow,
  'classId' | 'memberId' | 'caseId' | 'kind' | 'subject' | 'subjectKind'
> & { text: string };

/** Adds a review. A second review about the same subject changes nothing. */
export async function addReview(
  db: DatabaseTransaction,
  { evidence }: Pick<ModerationKeys, 'evidence'>,
  { text, ...fields }: NewReview,
): Promise<void> {
  const reviewId = createRandomId();
  await db
    .insertInto('reviews')
    .values({
      ...fields,
      reviewId,
      day: getToday(),
      text: sealText(evidence, reviewId, text),
      status: 'open',
      version: 1,
    })
    .onConflict((conflict) => conflict.column('subject').doNothing())
    .execute();
}

/** The sanction or suspension that an appeal is about, as moderators see it. */
export interface AppealedSanction {
  kind: 'mute' | 'removed' | 'suspension';
  until: number | null;
  reason: string;
  staffName: string;
  active: boolean;
}

/**
 * Lists the appealed sanctions by the id of their review. An escalation has none, and an appeal has none if its sanction was
 * deleted.
 *
 * @param suspensions null for moderators, who see no suspensions
 */
export async function listAppealed(
  db: Database,
  suspensions: SuspensionKeys | null,
  reviews: readonly ReviewRow[],
): Promise<Map<string, AppealedSanction>> {
  const appeals = reviews.filter(({ subjectKind }) => subjectKind !== null);
  const subjects = appeals.map(({ subject }) => subject);
  const sanctions = new Map<string, AppealedSanction>();
  for (const row of await listSanctionsById(db, subjects)) {
    const { sanctionId, kind, until, reason, staffName } = row;
    sanctions.set(sanctionId, { kind, until, reason, staffName, active: isActive(row) });
  }
  if (suspensions) {
    for (const row of await listSuspensionsBy(db, { suspensionIds: subjects })) {
      const suspension = decryptSuspension(suspensions.contents, row);
      const { suspensionId, until, reason, staffName } = suspension;
      const active = isInForce(suspension);
      sanctions.set(suspensionId, { kind: 'suspension', until, reason, staffName, active });
    }
  }
  return new Map(
    appeals.flatMap(({ reviewId, subject }) => {
      const sanction = sanctions.get(subject);
      return sanction ? [[reviewId, sanction]] : [];
    }),
  );
}

/**
 * An operator lifts a suspension without an appeal.
 *
 * @throws {AppError} NOT_FOUND if it is not in force
 */
export async function liftSuspension(
  unitOfWork: UnitOfWork,
  keys: Pick<SuspensionKeys, 'contents'>,
  { suspensionId, staffName, reason }: { suspensionId: string; staffName: string; reason: string },
): Promise<void> {
  const { db } = unitOfWork;
  const row = await findSuspension(db, suspensionId);
  const suspension = row && decryptSuspension(keys.contents, row);
  if (!suspension || !isInForce(suspension)) throw new AppError('NOT_FOUND');
  const { classId, memberId, caseId } = suspension;
  await markSuspensionLifted(unitOfWork, keys, suspension);
  await closeAppeal(db, suspensionId, { staffName, reason });
  await appendAudit(unitOfWork, {
    classId,
    memberId,
    caseId,
    staffName,
    reason,
    act: 'lift-suspension',
  });
  unitOfWork.addEffect(await toReviewEffect(db, { classId, caseId }));
}

/** Tells that the case of a review has changed. */
export async function toReviewEffect(
  db: Database,
  { classId, caseId }: Pick<ReviewRow, 'classId' | 'caseId'>,
) {
  const foundCase = await findCase(db, caseId);
  const isForOperators = foundCase?.forOperators === 1;
  return { kind: 'case', classId, isForOperators } as const;
}

/** @returns null if the text is erased */
export function decryptText(evidence: KeyObject, { reviewId, text }: ReviewRow): string | null {
  return text === null ? null : unseal(evidence, text, toContext(reviewId)).trimEnd();
}

function sealText(evidence: KeyObject, reviewId: string, text: string): string {
  return seal(evidence, text.trimEnd(), { padTo: paddedBytes, context: toContext(reviewId) });
}

function toContext(reviewId: string): string {
  return `review ${reviewId}`;
}

export async function eraseReviewText(
  unitOfWork: UnitOfWork,
  { reviewId }: ReviewRow,
): Promise<void> {
  await updateReview(unitOfWork.db, reviewId, { text: null });
  unitOfWork.contentErased();
}

export async function resealReviews(
  db: DatabaseTransaction,
  keys: { previous: KeyObject; next: KeyObject },
): Promise<void> {
  for (let lastReviewId = ''; ;) {
    const reviews = await listReviewsAfter(db, lastReviewId, reviewsPerPage);
    for (const review of reviews) {
      const text = sealText(keys.next, review.reviewId, decryptText(keys.previous, review) ?? '');
      await updateReview(db, review.reviewId, { text });
    }
    const last = reviews.at(-1);
    if (!last) return;
    lastReviewId = last.reviewId;
  }
}
