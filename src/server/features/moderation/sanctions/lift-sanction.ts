// Lifting a sanction, which also closes the appeal against it.
import { AppError } from '#contract/errors.ts';
import { isActive, type SanctionOrder } from '#server/chat/members/sanctions.ts';
import { listSanctions, markLifted } from '#server/chat/members/sanctions-queries.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { findReviewBySubject, updateReview } from './reviews-queries.ts';

/** @throws {AppError} NOT_FOUND if the member has no such active sanction */
export async function liftSanction(
  unitOfWork: UnitOfWork,
  order: Omit<SanctionOrder, 'caseId'> & { sanctionId: string },
): Promise<void> {
  const { db } = unitOfWork;
  const { classId, memberId, sanctionId, staffName, reason } = order;
  const sanctions = await listSanctions(db, classId, memberId);
  const sanction = sanctions.find((candidate) => candidate.sanctionId === sanctionId);
  if (!sanction || !isActive(sanction) || !(await markLifted(db, sanction))) {
    throw new AppError('NOT_FOUND');
  }
  await appendChangeEvent(unitOfWork, 'staff-changed', classId);
  await closeAppeal(db, sanctionId, { staffName, reason });
  const { caseId } = sanction;
  await appendAudit(unitOfWork, { classId, memberId, caseId, staffName, act: 'lift', reason });
}

/** When the sanction is lifted, the person concerned has what the appeal asks for. */
export async function closeAppeal(
  db: DatabaseTransaction,
  subject: string,
  { staffName, reason }: { staffName: string; reason: string },
): Promise<void> {
  const review = await findReviewBySubject(db, subject);
  if (!review || review.status === 'decided') return;
  await updateReview(db, review.reviewId, {
    status: 'decided',
    version: review.version + 1,
    decision: 'lift',
    reason,
    decidedBy: staffName,
    effectiveAt: Date.now(),
  });
}
