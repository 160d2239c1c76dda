// Decisions of moderators. A decision is stored immediately and takes effect ten seconds later, so that it can be undone.
// Its effects and its audit entries share one commit: a crash leaves all of them or none.
import { AppError } from '#contract/errors.ts';
import type { DecisionBody } from '#contract/moderation.ts';
import { findMessage, setModeration } from '#server/chat/messages/messages-queries.ts';
import { updateCase, type CaseRow } from '#server/chat/messages/evidence-queries.ts';
import { findCase, toCaseEffect } from './cases-queries.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { publishModeration, removeByModerator } from '#server/chat/messages/messages.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import type { Decider } from './decider.ts';
import type { ModerationKeys } from '#server/chat/staff/keys.ts';
import { parseReason, undoMs } from './reasons.ts';
import { addReview } from '#server/features/moderation/sanctions/reviews.ts';
import { addSanction } from '#server/chat/members/sanctions.ts';

/**
 * @throws {AppError} NOT_FOUND, ALREADY_DECIDED, CASE_CHANGED, REASON_MISSING, REASON_TOO_LONG, INVALID
 */
export async function decide(
  unitOfWork: UnitOfWork,
  caseId: string,
  { version, decision, reason, sanction, escalate }: DecisionBody,
  { staffName, decider }: Decider,
): Promise<void> {
  const { db, addEffect } = unitOfWork;
  const foundCase = await findCase(db, caseId);
  if (!foundCase) throw new AppError('NOT_FOUND');
  if (foundCase.status !== 'open') {
    throw new AppError(
      'ALREADY_DECIDED',
      `${foundCase.decidedBy ?? ''} has already decided this case.`,
    );
  }
  if (foundCase.version !== version) throw new AppError('CASE_CHANGED');
  if (foundCase.messageId === null && decision === 'remove') {
    throw new AppError('INVALID', 'This case has no message to remove.');
  }
  await updateCase(db, caseId, {
    status: 'pending',
    version: version + 1,
    decision,
    sanctionKind: sanction && (sanction.kind === 'mute' ? 'mute' : 'removed'),
    sanctionHours: sanction?.kind === 'mute' ? sanction.hours : null,
    escalates: escalate ? 1 : 0,
    reason: parseReason(reason),
    decidedBy: staffName,
    decider,
    effectiveAt: Date.now() + undoMs,
  });
  await appendChangeEvent(unitOfWork, 'decision-stored');
  addEffect(toCaseEffect(foundCase));
}

/**
 * An open case stays open.
 *
 * @throws {AppError} NOT_FOUND, DECISION_APPLIED
 */
export async function undoDecision({ db, addEffect }: UnitOfWork, caseId: string): Promise<void> {
  const foundCase = await findCase(db, caseId);
  if (!foundCase) throw new AppError('NOT_FOUND');
  if (foundCase.status === 'open') return;
  if (foundCase.status === 'decided' || (foundCase.effectiveAt ?? 0) <= Date.now()) {
    throw new AppError('DECISION_APPLIED');
  }
  await updateCase(db, caseId, {
    status: 'open',
    version: foundCase.version + 1,
    decision: null,
    sanctionKind: null,
    sanctionHours: null,
    escalates: 0,
    reason: null,
    decidedBy: null,
    decider: null,
    effectiveAt: null,
  });
  addEffect(toCaseEffect(foundCase));
}

/** @returns the case as it was decided; null if the decision was undone or has been applied */
export async function applyDecision(
  unitOfWork: UnitOfWork,
  caseId: string,
  keys: ModerationKeys,
): Promise<CaseRow | null> {
  const { db } = unitOfWork;
  const foundCase = await findCase(db, caseId);
  if (foundCase?.status !== 'pending' || (foundCase.effectiveAt ?? 0) > Date.now()) return null;
  const { classId, memberId, messageId, decision, sanctionKind, sanctionHours } = foundCase;
  const order = {
    classId,
    memberId,
    caseId,
    staffName: foundCase.decidedBy ?? '',
    reason: foundCase.reason ?? '',
  };
  if (messageId !== null) await applyToMessage(unitOfWork, classId, messageId, decision);
  await updateCase(db, caseId, { status: 'decided' });
  unitOfWork.addEffect(toCaseEffect(foundCase));
  await appendAudit(unitOfWork, { ...order, act: decision ?? 'keep' });
  if (sanctionKind === 'removed') await addSanction(unitOfWork, order, { kind: 'removed' });
  if (sanctionKind === 'mute') {
    await addSanction(unitOfWork, order, { kind: 'mute', hours: sanctionHours ?? 1 });
  }
  if (foundCase.escalates) {
    await addReview(db, keys, {
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
  return foundCase;
}

/** The author may have deleted the message in the meantime. */
async function applyToMessage(
  unitOfWork: UnitOfWork,
  classId: string,
  messageId: string,
  decision: CaseRow['decision'],
): Promise<void> {
  const message = await findMessage(unitOfWork.db, classId, messageId);
  if (!message || message.deleted || message.moderation === 'removed') return;
  if (decision === 'remove') return removeByModerator(unitOfWork, message);
  if (message.moderation !== 'hidden') return;
  await setModeration(unitOfWork.db, message, null);
  await publishModeration(unitOfWork, message, null);
}
