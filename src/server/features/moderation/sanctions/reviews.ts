// Reviews: the steps of a case after its decision. Operators decide escalations, and moderators decide appeals. A decision
// is stored immediately and takes effect ten seconds later, like the decision on the case.
import type { KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import type { ReviewBody } from '#contract/moderation.ts';
import { getToday } from '#server/base/days.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import {
  findReview,
  insertReview,
  listReviewsAfter,
  updateReview,
  type ReviewRow,
} from './reviews-queries.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import { findSanction, listSanctionsById } from '#server/chat/members/sanctions-queries.ts';
import { findSuspension, listSuspensionsBy } from '#server/chat/staff/suspensions-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import { findCase } from '#server/features/moderation/reports/cases-queries.ts';
import type { Decider } from '#server/features/moderation/reports/decider.ts';
import { parseReason, undoMs } from '#server/features/moderation/reports/reasons.ts';
import type { ModerationKeys, SuspensionKeys } from '#server/chat/staff/keys.ts';
import { closeAppeal, liftSanction } from './lift-sanction.ts';
import { isActive } from '#server/chat/members/sanctions.ts';
import {
  addSuspension,
  isInForce,
  markSuspensionLifted,
  getAccountHashes,
  decryptSuspension,
  type SuspensionDependencies,
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
  await insertReview(db, {
    ...fields,
    reviewId,
    day: getToday(),
    text: sealText(evidence, reviewId, text),
  });
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
 * @throws {AppError} NOT_FOUND, ALREADY_DECIDED, CASE_CHANGED, REASON_MISSING, REASON_TOO_LONG, INVALID
 */
export async function decideReview(
  unitOfWork: UnitOfWork,
  reviewId: string,
  body: ReviewBody,
  { staffName, decider }: Decider,
): Promise<void> {
  const { db, addEffect } = unitOfWork;
  const { version, decision, reason } = body;
  const review = await findReview(db, reviewId);
  if (!review) throw new AppError('NOT_FOUND');
  const isOfEscalation = decision === 'suspend' || decision === 'dismiss';
  if (isOfEscalation !== (review.kind === 'escalation')) {
    throw new AppError('INVALID', 'This decision does not fit.');
  }
  if (review.status !== 'open') {
    throw new AppError('ALREADY_DECIDED', `${review.decidedBy ?? ''} has already decided this.`);
  }
  if (review.version !== version) {
    throw new AppError(
      'CASE_CHANGED',
      'This has changed in the meantime. Please look at it again.',
    );
  }
  await updateReview(db, reviewId, {
    status: 'pending',
    version: version + 1,
    decision,
    days: decision === 'suspend' ? body.days : null,
    reason: parseReason(reason),
    decidedBy: staffName,
    decider,
    effectiveAt: Date.now() + undoMs,
  });
  await appendChangeEvent(unitOfWork, 'decision-stored');
  addEffect(await toReviewEffect(db, review));
}

/**
 * Undoes a decision that has not taken effect yet. An open review stays open.
 *
 * @throws {AppError} NOT_FOUND, DECISION_APPLIED
 */
export async function undoReview({ db, addEffect }: UnitOfWork, reviewId: string): Promise<void> {
  const review = await findReview(db, reviewId);
  if (!review) throw new AppError('NOT_FOUND');
  if (review.status === 'open') return;
  if (review.status === 'decided' || (review.effectiveAt ?? 0) <= Date.now()) {
    throw new AppError('DECISION_APPLIED');
  }
  await updateReview(db, reviewId, {
    status: 'open',
    version: review.version + 1,
    decision: null,
    days: null,
    reason: null,
    decidedBy: null,
    decider: null,
    effectiveAt: null,
  });
  addEffect(await toReviewEffect(db, review));
}

/**
 * The decision, its effect and its audit entry are one commit.
 *
 * @param suspendedAccountId the account that a decided escalation suspends, as `findPersonaAccountId` finds it
 * @returns null if the decision was undone or has been applied
 */
export async function applyReview(
  unitOfWork: UnitOfWork,
  reviewId: string,
  dependencies: SuspensionDependencies,
  suspendedAccountId: string | null,
): Promise<ReviewRow | null> {
  const { keys } = dependencies;
  const { db } = unitOfWork;
  const review = await findReview(db, reviewId);
  if (review?.status !== 'pending' || (review.effectiveAt ?? 0) > Date.now()) return null;
  const { classId, memberId, caseId, decision } = review;
  const order = {
    classId,
    memberId,
    caseId,
    staffName: review.decidedBy ?? '',
    reason: review.reason ?? '',
  };
  await updateReview(db, reviewId, { status: 'decided' });
  unitOfWork.addEffect(await toReviewEffect(db, review));
  switch (decision) {
    case 'suspend': {
      const hashes = await getAccountHashes(db, dependencies, review, suspendedAccountId);
      await addSuspension(unitOfWork, keys, order, hashes, review.days);
      await appendAudit(unitOfWork, { ...order, act: 'suspend' });
      return review;
    }
    case 'dismiss':
      await appendAudit(unitOfWork, { ...order, act: 'dismiss-escalation' });
      return review;
    case 'lift':
      await liftAppealed(unitOfWork, keys, review, order);
      return review;
    case 'keep':
    case null:
      await appendAudit(unitOfWork, { ...order, act: 'keep-sanction' });
      return review;
  }
}

interface LiftOrder {
  classId: string;
  memberId: string;
  caseId: string;
  staffName: string;
  reason: string;
}

/** Lifts the appealed sanction, which may have ended in the meantime. */
async function liftAppealed(
  unitOfWork: UnitOfWork,
  keys: Pick<SuspensionKeys, 'contents'>,
  { subject, subjectKind }: ReviewRow,
  order: LiftOrder,
): Promise<void> {
  const { db } = unitOfWork;
  if (subjectKind === 'suspension') {
    const row = await findSuspension(db, subject);
    const suspension = row && decryptSuspension(keys.contents, row);
    if (suspension?.status === 'active') await markSuspensionLifted(unitOfWork, keys, suspension);
    return appendAudit(unitOfWork, { ...order, act: 'lift-suspension' });
  }
  const sanction = await findSanction(db, subject);
  if (sanction && isActive(sanction)) {
    return liftSanction(unitOfWork, { ...order, sanctionId: subject });
  }
  return appendAudit(unitOfWork, { ...order, act: 'lift' });
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
