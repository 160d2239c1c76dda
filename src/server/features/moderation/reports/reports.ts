// Reports of messages and members. A report names its reporter only by an id that needs the server key.
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import type { CallInput } from '#contract/http.ts';
import type { OwnReport } from '#contract/moderation.ts';
import { isPlainText } from '#contract/text.ts';
import { toDate, formatDay, getToday } from '#server/base/days.ts';
import { computeId } from '#server/chat/members/member-ids.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { seal, unseal } from '#server/base/seal.ts';
import { deriveModerationKeys, type ModerationKeys } from '#server/chat/staff/keys.ts';
import type { Reader } from '#server/store/site.ts';
import {
  findUndecidedCase,
  updateCase,
  type CaseRow,
  type Target,
} from '#server/chat/messages/evidence-queries.ts';
import { findCase, insertCase } from './cases-queries.ts';
import { updateMessage, type MessageRow } from '#server/chat/messages/messages-queries.ts';
import { findSalt } from '#server/chat/classes/classes-queries.ts';
import { findPersona } from '#server/chat/members/personas-queries.ts';
import { findReport, saveReport, type ReportRow } from './reports-queries.ts';
import { countReport } from '#server/features/moderation/transparency/transparency-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { getMember, hasPersona, type Actor, type Member } from '#server/chat/members/member.ts';
import { findReportedTurn } from '#server/chat/private-questions/private-questions.ts';
import { findPresentMessage, publishModeration } from '#server/chat/messages/messages.ts';
import { markReported } from './kept-evidence.ts';
import { toEvidence, sealEvidence, type StoredEvidence } from '#server/chat/messages/evidence.ts';
import { mayHide, wasDecidedBeforeEdit } from './hiding.ts';

type NewReport = CallInput<'reportMember'>['body'];

/** All rows have one size, with the longest text. */
const paddedBytes = 2048;

/** A reporter's id in a class. It is neither the account's nor the member's. */
export function deriveReporter(keys: ModerationKeys, classSalt: string, accountId: string): string {
  return computeId(keys.reporters, classSalt, accountId);
}

/**
 * Adds the report to the undecided case of the message or member, or opens one. A second report by the same member
 * changes nothing before the decision, nor after it if the message was not edited since.
 *
 * @param reportsToHide by different members, which hide a message; 0 for never
 * @returns whether this report is a new one
 * @throws {AppError} NOT_FOUND, OWN_REPORT, REPORT_TOO_LONG, INVALID
 */
export async function report(
  unitOfWork: UnitOfWork,
  { accountId, classId }: Actor,
  newReport: NewReport,
  reportsToHide: number,
): Promise<boolean> {
  const { db, site } = unitOfWork;
  const keys = deriveModerationKeys(site.keys.personas);
  const member = await getMember(unitOfWork, accountId, classId);
  const text = parseReportText(newReport.text ?? '');
  const { target, message, evidence } = await findTarget(unitOfWork, member, accountId, newReport);
  if (hasPersona(site.keys, member.classSalt, accountId, target.memberId)) {
    throw new AppError('OWN_REPORT');
  }
  const reporter = deriveReporter(keys, member.classSalt, accountId);
  const key = { classId, reporter, target: target.messageId ?? target.memberId };
  const earlier = await findReport(db, key);
  if (earlier && !(await wasDecidedBeforeEdit(db, earlier.caseId, message))) return false;

  const undecided = await findUndecidedCase(db, target);
  const caseId = undecided?.caseId ?? createRandomId();
  const forOperators = newReport.operatorsOnly ? 1 : (undecided?.forOperators ?? 0);
  if (undecided) {
    await markReported(db, keys.evidence, undecided);
    await updateCase(db, caseId, { forOperators });
  } else {
    const sealedEvidence = evidence && sealEvidence(keys.evidence, caseId, evidence);
    await insertCase(db, { ...target, caseId, evidence: sealedEvidence, forOperators });
  }
  unitOfWork.addEffect({ kind: 'case', classId, isForOperators: forOperators === 1 });
  const { reason } = newReport;
  const sealed = sealReport(keys, caseId, text);
  await saveReport(db, { ...key, caseId, reason, text: sealed, day: getToday() });
  await countReport(db, getToday());
  if (earlier) unitOfWork.contentErased();
  if (!message || !(await mayHide(db, message, caseId, reportsToHide))) return true;
  await updateMessage(db, message, { moderation: 'hidden' });
  await publishModeration(unitOfWork, message, 'hidden');
  return true;
}

interface ReportTarget {
  target: Target;
  /** Null for a member, and for a turn of a private question. */
  message: MessageRow | null;
  evidence: StoredEvidence | null;
}

async function findTarget(
  unitOfWork: UnitOfWork,
  member: Member,
  accountId: string,
  { messageId, memberId }: NewReport,
): Promise<ReportTarget> {
  const { classId } = member;
  if (messageId === undefined) {
    const persona = await findPersona(unitOfWork.db, classId, memberId ?? '');
    if (!persona) throw new AppError('NOT_FOUND');
    const target = { classId, memberId: persona.memberId, messageId: null };
    return { target, message: null, evidence: null };
  }
  const turn = await findReportedTurn(unitOfWork, member, accountId, messageId);
  if (turn) {
    const target = { classId, memberId: turn.memberId, messageId };
    const createdAt = toDate(getToday()).getTime();
    return {
      target,
      message: null,
      evidence: { text: turn.text, images: [], createdAt, edits: [] },
    };
  }
  const message = await findPresentMessage(unitOfWork, classId, messageId);
  const target = { classId, memberId: message.memberId, messageId };
  return { target, message, evidence: toEvidence(message) };
}

function parseReportText(typedText: string): string {
  const text = typedText.trim();
  if (Array.from(text).length > limits.reportText) throw new AppError('REPORT_TOO_LONG');
  if (!isPlainText(text)) {
    throw new AppError('TEXT_CHARACTERS');
  }
  return text;
}

/** Sealed, because the text may say who the reporter is. */
export function sealReport({ evidence }: ModerationKeys, caseId: string, text: string): string {
  // The end mark separates the text from the padding.
  return seal(evidence, `${text}\u0000`, { padTo: paddedBytes, context: `report ${caseId}` });
}

export function unsealReport(
  { evidence }: ModerationKeys,
  { caseId, text }: Pick<ReportRow, 'caseId' | 'text'>,
): string {
  return unseal(evidence, text, `report ${caseId}`).split('\u0000')[0] ?? '';
}

export type ReportWithText = OwnReport & { text: string };

/** The account's own reports in a class, with what became of them. */
export async function listOwnReports(
  { db, site }: Reader,
  { classId, classSalt }: { classId: string; classSalt: string },
  accountId: string,
): Promise<ReportWithText[]> {
  const keys = deriveModerationKeys(site.keys.personas);
  const earlierReports = await db
    .selectFrom('reports')
    .selectAll()
    .where('classId', '=', classId)
    .where('reporter', '=', deriveReporter(keys, classSalt, accountId))
    .orderBy('day', 'desc')
    .orderBy('target')
    .execute();
  return Promise.all(
    earlierReports.map(async (row) => {
      const { target, caseId, reason, day } = row;
      const foundCase = await findCase(db, caseId);
      const isMember = foundCase?.messageId === null;
      return {
        messageId: isMember ? null : target,
        memberId: isMember ? target : null,
        reason,
        state: foundCase ? toOutcome(foundCase) : 'kept',
        day: formatDay(toDate(day)),
        text: unsealReport(keys, row),
      };
    }),
  );
}

/** Tells whether the account is one of those who reported the case. */
export async function isOwnReport(
  { db, site }: Reader,
  accountId: string,
  { caseId, classId, memberId, messageId }: CaseRow,
): Promise<boolean> {
  const salt = await findSalt(db, classId);
  if (salt === null) return false;
  const reporter = deriveReporter(deriveModerationKeys(site.keys.personas), salt, accountId);
  const ownReport = await findReport(db, { classId, reporter, target: messageId ?? memberId });
  return ownReport?.caseId === caseId;
}

/** A decision that can still be undone counts as none. */
export function toOutcome(
  foundCase: Pick<CaseRow, 'status' | 'decision' | 'sanctionKind' | 'escalates'>,
): OwnReport['state'] {
  if (foundCase.status !== 'decided') return 'open';
  if (foundCase.decision === 'remove') return 'removed';
  return foundCase.sanctionKind === null && foundCase.escalates === 0 ? 'kept' : 'acted';
}
