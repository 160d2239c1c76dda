// Who may not decide: the person whom a case is about, and, on an appeal, the person who made the appealed decision.
import { AppError } from '#contract/errors.ts';
import { hasPersona } from '#server/chat/members/member.ts';
import { listCaseReaders, type CaseSubject } from '#server/chat/staff/case-readers.ts';
import { findReach } from '#server/chat/staff/rights.ts';
import type { Reader } from '#server/store/site.ts';
import type { Database } from '#server/store/tables.ts';
import type { CaseRow } from '#server/chat/messages/evidence-queries.ts';
import { findCase, isCaseForOperators } from './cases-queries.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { findPersona } from '#server/chat/members/personas-queries.ts';
import {
  findReviewBySubject,
  type ReviewRow,
} from '#server/features/moderation/sanctions/reviews-queries.ts';
import { isDecidedBy, type AppealedDecision } from './decider.ts';
import { listAppealed } from '#server/features/moderation/sanctions/reviews.ts';
import type { StaffAccount } from '#server/chat/staff/roles.ts';

/**
 * Moderators cannot decide about themselves. Once the links of a persona to accounts are removed, no one can tell whose it is,
 * so only operators decide about it.
 *
 * @throws {AppError} NOT_FOUND, NOT_ALLOWED
 */
export async function checkNotSelf(
  reader: Reader,
  account: StaffAccount,
  { classId, memberId }: { classId: string; memberId: string },
): Promise<void> {
  const { db, site } = reader;
  const row = await findClass(db, classId);
  if (!row) throw new AppError('NOT_FOUND');
  if (hasPersona(site.keys, row.salt, account.id, memberId)) {
    throw new AppError('CASE_ABOUT_YOU');
  }
  const persona = await findPersona(db, classId, memberId);
  if (persona?.unlinked !== 1 || (await findReach(reader, account, 'decide')) === 'all') return;
  throw new AppError('PERSONA_UNLINKED');
}

/** @throws {AppError} OWN_DECISION if the moderator decided what the appeal is about, and someone else can decide it */
export async function checkNotOwnDecision(
  reader: Reader,
  account: StaffAccount,
  staffName: string,
  review: ReviewRow,
): Promise<void> {
  if (!(await isOwnDecision(reader, account, staffName, review))) return;
  const isForOperators =
    review.subjectKind === 'suspension' || (await isCaseForOperators(reader.db, review.caseId));
  if (await canOtherDecide(reader, account, { ...review, isForOperators })) {
    throw new AppError('OWN_DECISION');
  }
}

/** Whether an account other than this one has the right to decide an appeal. */
export async function canOtherDecide(
  reader: Reader,
  account: StaffAccount,
  appeal: CaseSubject & { isForOperators: boolean },
): Promise<boolean> {
  const deciders = await listCaseReaders(reader, appeal);
  return deciders.some((id) => id !== account.id);
}

async function isOwnDecision(
  { db, site }: Reader,
  account: StaffAccount,
  staffName: string,
  review: ReviewRow,
): Promise<boolean> {
  const isAppeal = review.subjectKind !== null;
  if (!isAppeal) return false;
  const decision = await findAppealedDecision(db, review);
  if (decision.decider) return isDecidedBy(site, decision, account.id);
  // A decision of an earlier version, or of another server key, has only the name of who made it.
  const appealed = await listAppealed(db, site.keys.suspensions, [review]);
  return appealed.get(review.reviewId)?.staffName === staffName;
}

async function findAppealedDecision(
  db: Database,
  { caseId, subjectKind }: ReviewRow,
): Promise<AppealedDecision> {
  const escalation = subjectKind === 'suspension' ? await findReviewBySubject(db, caseId) : null;
  return toAppealedDecision(caseId, escalation, await findCase(db, caseId));
}

/**
 * An appeal against a suspension is about the decision of an escalation, every other appeal about the decision of a case.
 *
 * @param escalation only for an appeal against a suspension
 */
export function toAppealedDecision(
  caseId: string,
  escalation: Pick<ReviewRow, 'reviewId' | 'decider'> | null | undefined,
  foundCase: Pick<CaseRow, 'decider'> | null,
): AppealedDecision {
  if (escalation) return { decisionId: escalation.reviewId, decider: escalation.decider };
  return { decisionId: caseId, decider: foundCase?.decider };
}
