// Decisions of moderators on cases, and on the escalations and appeals that follow. A decision is stored immediately and
// takes effect ten seconds later, so that it can be undone. Its effects and its audit entries share one commit: a crash
// leaves all of them or none.
import { AppError } from '#contract/errors.ts';
import type { DecisionBody, ReviewBody } from '#contract/moderation.ts';
import { findMessage, updateMessage } from '#server/chat/messages/messages-queries.ts';
import {
  updateCase,
  type CaseChange,
  type CaseRow,
} from '#server/chat/messages/evidence-queries.ts';
import { findCase, toCaseEffect } from './cases-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { publishModeration, removeByModerator } from '#server/chat/messages/messages.ts';
import { removePrivateQuestion } from '#server/chat/private-questions/private-questions.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import type { Decider } from './decider.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import { parseReason, undoMs } from './reasons.ts';
import { addReview } from '#server/features/moderation/sanctions/reviews.ts';
import { liftSanction } from '#server/features/moderation/sanctions/lift-sanction.ts';
import {
  findReview,
  updateReview,
  type ReviewChange,
  type ReviewRow,
} from '#server/features/moderation/sanctions/reviews-queries.ts';
import { addSanction, isActive, type SanctionOrder } from '#server/chat/members/sanctions.ts';
import { findSanction } from '#server/chat/members/sanctions-queries.ts';
import { findSuspension } from '#server/chat/staff/suspensions-queries.ts';
import {
  addSuspension,
  decryptSuspension,
  getAccountHashes,
  markSuspensionLifted,
  type SuspensionDependencies,
} from '#server/chat/staff/suspensions.ts';

/** What is decided: a case, or an escalation or appeal of it. */
export interface Decidable {
  foundCase: CaseRow;
  /** Null if the case itself is decided. */
  review: ReviewRow | null;
}

type NewDecision =
  | { foundCase: CaseRow; review: null; body: DecisionBody }
  | { foundCase: CaseRow; review: ReviewRow; body: ReviewBody };

/**
 * @throws {AppError} ALREADY_DECIDED, CASE_CHANGED, REASON_MISSING, REASON_TOO_LONG, INVALID
 */
export async function decide(
  unitOfWork: UnitOfWork,
  decision: NewDecision,
  { staffName, decider }: Decider,
): Promise<void> {
  const { db, addEffect } = unitOfWork;
  const { foundCase, review, body } = decision;
  checkUndecided(decision, body.version);
  const change = {
    status: 'pending',
    version: body.version + 1,
    reason: parseReason(body.reason),
    decidedBy: staffName,
    decider,
    effectiveAt: Date.now() + undoMs,
  } as const;
  if (review) {
    await updateReview(db, review.reviewId, { ...change, ...toReviewOutcome(review, body) });
  } else {
    await updateCase(db, foundCase.caseId, { ...change, ...toCaseOutcome(foundCase, body) });
  }
  addEffect(toCaseEffect(foundCase));
}

function checkUndecided({ foundCase, review }: Decidable, seenVersion: number): void {
  const { status, version, decidedBy } = review ?? foundCase;
  if (status !== 'open') {
    const code = review ? 'REVIEW_ALREADY_DECIDED' : 'ALREADY_DECIDED';
    throw new AppError(code, { decidedBy: decidedBy ?? '' });
  }
  if (version !== seenVersion) {
    throw new AppError(review ? 'REVIEW_CHANGED' : 'CASE_CHANGED');
  }
}

function toCaseOutcome(
  { messageId }: CaseRow,
  { decision, sanction, escalate }: DecisionBody,
): CaseChange {
  if (messageId === null && decision === 'remove') {
    throw new AppError('CASE_WITHOUT_MESSAGE');
  }
  return {
    decision,
    sanctionKind: sanction && (sanction.kind === 'mute' ? 'mute' : 'removed'),
    sanctionHours: sanction?.kind === 'mute' ? sanction.hours : null,
    escalates: escalate ? 1 : 0,
  };
}

function toReviewOutcome({ kind }: ReviewRow, body: ReviewBody): ReviewChange {
  const isOfEscalation = body.decision === 'suspend' || body.decision === 'dismiss';
  if (isOfEscalation !== (kind === 'escalation')) {
    throw new AppError('DECISION_UNFIT');
  }
  return { decision: body.decision, days: body.decision === 'suspend' ? body.days : null };
}

/**
 * Undoes a decision that has not taken effect yet. What is open stays open.
 *
 * @throws {AppError} DECISION_APPLIED
 */
export async function undoDecision(
  { db, addEffect }: UnitOfWork,
  { foundCase, review }: Decidable,
): Promise<void> {
  const { status, version, effectiveAt } = review ?? foundCase;
  if (status === 'open') return;
  if (status === 'decided' || (effectiveAt ?? 0) <= Date.now()) {
    throw new AppError('DECISION_APPLIED');
  }
  const change = {
    status: 'open',
    version: version + 1,
    decision: null,
    reason: null,
    decidedBy: null,
    decider: null,
    effectiveAt: null,
  } as const;
  if (review) {
    await updateReview(db, review.reviewId, { ...change, days: null });
  } else {
    const noSanction = { sanctionKind: null, sanctionHours: null, escalates: 0 };
    await updateCase(db, foundCase.caseId, { ...change, ...noSanction });
  }
  addEffect(toCaseEffect(foundCase));
}

/**
 * Applies a decision that is due. Does nothing if it was undone or has been applied.
 *
 * @param suspendedAccountId the account that a decided escalation suspends, as `findPersonaAccountId` finds it
 */
export async function applyDecision(
  unitOfWork: UnitOfWork,
  { caseId, reviewId }: { caseId: string; reviewId: string | null },
  dependencies: SuspensionDependencies,
  suspendedAccountId: string | null,
): Promise<void> {
  const { db } = unitOfWork;
  const foundCase = await findCase(db, caseId);
  const review = reviewId === null ? null : await findReview(db, reviewId);
  const decided = reviewId === null ? foundCase : review;
  if (!foundCase || decided?.status !== 'pending') return;
  if ((decided.effectiveAt ?? 0) > Date.now()) return;
  const { classId, memberId, decidedBy, reason } = decided;
  const order = { classId, memberId, caseId, staffName: decidedBy ?? '', reason: reason ?? '' };
  unitOfWork.addEffect(toCaseEffect(foundCase));
  if (review) {
    await updateReview(db, review.reviewId, { status: 'decided' });
    await applyToReview(unitOfWork, review, order, dependencies, suspendedAccountId);
  } else {
    await updateCase(db, caseId, { status: 'decided' });
    await applyToCase(unitOfWork, foundCase, order);
  }
}

async function applyToCase(
  unitOfWork: UnitOfWork,
  { classId, memberId, caseId, messageId, decision, ...foundCase }: CaseRow,
  order: SanctionOrder,
): Promise<void> {
  if (messageId !== null) await applyToMessage(unitOfWork, classId, messageId, decision);
  await appendAudit(unitOfWork, { ...order, act: decision ?? 'keep' });
  const { sanctionKind, sanctionHours, escalates } = foundCase;
  if (sanctionKind === 'removed') await addSanction(unitOfWork, order, { kind: 'removed' });
  if (sanctionKind === 'mute') {
    await addSanction(unitOfWork, order, { kind: 'mute', hours: sanctionHours ?? 1 });
  }
  if (!escalates) return;
  await addReview(unitOfWork.db, deriveModerationKeys(unitOfWork.site.keys.personas), {
    classId,
    memberId,
    caseId,
    kind: 'escalation',
    text: order.reason,
    subject: caseId,
    subjectKind: null,
  });
  await appendAudit(unitOfWork, { ...order, act: 'escalate' });
}

/** The author may have deleted the message in the meantime. Without a message, the case is about a private question. */
async function applyToMessage(
  unitOfWork: UnitOfWork,
  classId: string,
  messageId: string,
  decision: CaseRow['decision'],
): Promise<void> {
  const message = await findMessage(unitOfWork.db, classId, messageId);
  if (!message && decision === 'remove') {
    return removePrivateQuestion(unitOfWork, classId, messageId);
  }
  if (!message || message.deleted || message.moderation === 'removed') return;
  if (decision === 'remove') return removeByModerator(unitOfWork, message);
  if (message.moderation !== 'hidden') return;
  await updateMessage(unitOfWork.db, message, { moderation: null });
  await publishModeration(unitOfWork, message, null);
}

async function applyToReview(
  unitOfWork: UnitOfWork,
  review: ReviewRow,
  order: SanctionOrder,
  dependencies: SuspensionDependencies,
  suspendedAccountId: string | null,
): Promise<void> {
  const { keys } = dependencies;
  switch (review.decision) {
    case 'suspend': {
      const hashes = await getAccountHashes(unitOfWork, dependencies, review, suspendedAccountId);
      await addSuspension(unitOfWork, keys, order, hashes, review.days);
      return appendAudit(unitOfWork, { ...order, act: 'suspend' });
    }
    case 'dismiss':
      return appendAudit(unitOfWork, { ...order, act: 'dismiss-escalation' });
    case 'lift':
      return liftAppealed(unitOfWork, keys, review, order);
    case 'keep':
    case null:
      return appendAudit(unitOfWork, { ...order, act: 'keep-sanction' });
  }
}

/** Lifts the appealed sanction, which may have ended in the meantime. */
async function liftAppealed(
  unitOfWork: UnitOfWork,
  keys: SuspensionDependencies['keys'],
  { subject, subjectKind }: ReviewRow,
  order: SanctionOrder,
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
