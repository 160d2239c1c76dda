// The queue as moderators see it: what was reported, and about which persona. The queue names no account and no reporter.
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { listMentionedIds } from '#contract/mentions.ts';
import type { Persona } from '#contract/entities.ts';
import type { CallReply } from '#contract/http.ts';
import type { Case, Evidence, Review } from '#contract/moderation.ts';
import { createUnknownPersona } from '#contract/persona-name.ts';
import { evidencePath, imagesPath } from '#contract/routes.ts';
import { toDate, formatDay } from '#server/base/days.ts';
import type { ModerationKeys, SuspensionKeys } from '#server/chat/staff/keys.ts';
import type { Site } from '#server/store/site.ts';
import type { Database } from '#server/store/tables.ts';
import { listAuthoredMessages, findHead } from '#server/chat/messages/authored-content-queries.ts';
import type { CaseRow } from '#server/chat/messages/evidence-queries.ts';
import { findCase, listCases, listSubjects, type CaseSubject } from './cases-queries.ts';
import { toPicture, type SentImage } from '#server/chat/attachments/attachment-queries.ts';
import {
  findMessage,
  listMessages,
  listMessagesBySeq,
  listMessagesFrom,
} from '#server/chat/messages/messages-queries.ts';
import {
  findPersona,
  listPersonasOfClasses,
  toPersona,
} from '#server/chat/members/personas-queries.ts';
import { listReports } from './reports-queries.ts';
import {
  listReviews,
  type ReviewRow,
  isReviewForOperators,
} from '#server/features/moderation/sanctions/reviews-queries.ts';
import { listSanctions } from '#server/chat/members/sanctions-queries.ts';
import { listSuspensionsBy, type SuspensionRow } from '#server/chat/staff/suspensions-queries.ts';
import { takePage } from '#server/chat/messages/history.ts';
import type { Reach } from '#server/chat/staff/rights.ts';
import { decryptEvidence } from '#server/chat/messages/evidence.ts';
import {
  listAppealed,
  decryptText,
  type AppealedSanction,
} from '#server/features/moderation/sanctions/reviews.ts';
import { hasCaseAskerPrefix, caseAskerName } from '#server/chat/members/member-ids.ts';
import { hasPersona } from '#server/chat/members/member.ts';
import { isDecidedBy } from './decider.ts';
import { toAppealedDecision } from './self-decision.ts';
import { unsealReport } from './reports.ts';
import { isActive } from '#server/chat/members/sanctions.ts';
import { isInForce, decryptSuspension } from '#server/chat/staff/suspensions.ts';

/** Who looks at a case, and the keys that decrypt it. `suspensions` is null for moderators, who see no suspensions. */
export interface CaseViewer {
  accountId: string;
  site: Site;
  keys: ModerationKeys;
  suspensions: SuspensionKeys | null;
}

export interface CaseSelection {
  classId?: string | undefined;
  state: 'open' | 'decided' | 'escalated' | 'appeals';
  before?: string | undefined;
}

/** @throws {AppError} NOT_ALLOWED if the reach does not include the class */
export async function listQueue(
  db: Database,
  viewer: CaseViewer,
  reach: Reach,
  { classId, state, before }: CaseSelection,
): Promise<{ cases: Case[]; next: string | null }> {
  const isOutOfReach = reach !== 'all' && (classId ? !reach.has(classId) : reach.size === 0);
  if (isOutOfReach) throw new AppError('NOT_ALLOWED');
  const reachedClassIds = reach === 'all' ? null : [...reach];
  const lastCase = before === undefined ? null : await findCase(db, before);
  if (before !== undefined && !lastCase) return { cases: [], next: null };
  const rows = await listCases(db, {
    classIds: classId ? [classId] : reachedClassIds,
    isOperator: reach === 'all',
    state,
    withSuspensions: viewer.suspensions !== null,
    beforeNumber: lastCase?.number ?? Number.MAX_SAFE_INTEGER,
    limit: limits.casesPage + 1,
  });
  const page = rows.slice(0, limits.casesPage);
  const visibleRows = page.filter(
    ({ salt, memberId }) => !hasPersona(viewer.site.keys, salt, viewer.accountId, memberId),
  );
  const cases = await toCases(db, viewer, visibleRows);
  return { cases, next: rows.length > page.length ? (page.at(-1)?.caseId ?? null) : null };
}

export async function toCase(db: Database, viewer: CaseViewer, row: CaseRow): Promise<Case> {
  const [foundCase] = await toCases(db, viewer, [row]);
  if (!foundCase) throw new AppError('NOT_FOUND');
  return foundCase;
}

/** Maps rows to cases. The number of queries does not grow with the number of cases. */
async function toCases(
  db: Database,
  viewer: CaseViewer,
  rows: readonly CaseRow[],
): Promise<Case[]> {
  const { keys, suspensions: suspensionKeys } = viewer;
  const caseIds = rows.map(({ caseId }) => caseId);
  const subjects = new Map(
    (await listSubjects(db, caseIds)).map((subject) => [subject.caseId, subject]),
  );
  const allReports = await listReports(db, caseIds, limits.reportsOfCase);
  const reports = Map.groupBy(allReports, ({ caseId }) => caseId);
  const reviewRows = await listReviews(db, caseIds);
  const appealedSanctions = await listAppealed(db, suspensionKeys, reviewRows);
  const reviews = Map.groupBy(reviewRows, ({ caseId }) => caseId);
  const suspensionRows = suspensionKeys ? await listSuspensionsBy(db, { caseIds }) : [];
  const suspensions = new Map(suspensionRows.map((suspension) => [suspension.caseId, suspension]));
  const evidence = await listEvidence(db, keys, rows);
  return rows.map((row) => {
    const { caseId, classId, memberId, messageId, sanctionKind, sanctionHours } = row;
    const subject = subjects.get(caseId);
    const newestReports = reports.get(caseId) ?? [];
    const suspension = suspensions.get(caseId);
    const hours = sanctionHours as 1 | 24 | 168 | null;
    return {
      caseId,
      classId,
      messageId,
      forOperators: row.forOperators === 1,
      label: subject?.label ?? '',
      persona: subject?.persona ?? createMissingPersona(memberId),
      shown: messageId === null ? null : toShownState(subject?.message ?? null),
      evidence: evidence.get(caseId) ?? null,
      reportCount: newestReports[0]?.allCount ?? 0,
      reports: newestReports.toReversed().map((report) => ({
        reason: report.reason,
        text: unsealReport(keys, report),
        day: formatDay(toDate(report.day)),
      })),
      state: row.status === 'open' ? 'open' : 'decided',
      decision: row.decision,
      sanction: sanctionKind && { kind: sanctionKind, hours },
      reason: row.reason,
      decidedBy: row.decidedBy,
      effectiveAt: row.effectiveAt,
      version: row.version,
      reviews: toReviews(viewer, row, reviews.get(caseId) ?? [], appealedSanctions),
      suspension: suspensionKeys && suspension ? toSuspension(suspensionKeys, suspension) : null,
    };
  });
}

/** Maps rows to reviews. A moderator of a class sees that the case was escalated, but not the operators' decision. */
function toReviews(
  viewer: CaseViewer,
  caseRow: CaseRow,
  rows: readonly ReviewRow[],
  appealedSanctions: ReadonlyMap<string, AppealedSanction>,
): Review[] {
  const reviews: Review[] = [];
  for (const row of rows) {
    const isHidden = isReviewForOperators(row) && viewer.suspensions === null;
    if (isHidden && row.kind === 'appeal') continue;
    const { reviewId, kind, version, decision, days, reason, decidedBy, effectiveAt } = row;
    reviews.push({
      reviewId,
      kind,
      version,
      sanction: appealedSanctions.get(reviewId) ?? null,
      text: decryptText(viewer.keys.evidence, row),
      day: formatDay(toDate(row.day)),
      isOwnDecision: isOwnDecision(viewer, caseRow, rows, row),
      state: row.status === 'open' ? 'open' : 'decided',
      ...(isHidden
        ? { decision: null, days: null, reason: null, decidedBy: null, effectiveAt: null }
        : { decision, days: days as Review['days'], reason, decidedBy, effectiveAt }),
    });
  }
  return reviews;
}

function isOwnDecision(
  { site, accountId }: CaseViewer,
  caseRow: CaseRow,
  reviews: readonly ReviewRow[],
  { subjectKind }: ReviewRow,
): boolean {
  if (subjectKind === null) return false;
  const escalation =
    subjectKind === 'suspension' ? reviews.find(({ kind }) => kind === 'escalation') : null;
  const decision = toAppealedDecision(caseRow.caseId, escalation, caseRow);
  return isDecidedBy(site, decision, accountId);
}

function toSuspension({ contents }: SuspensionKeys, row: SuspensionRow): Case['suspension'] {
  const suspension = decryptSuspension(contents, row);
  const { suspensionId, until, reason, staffName, day } = suspension;
  return {
    suspensionId,
    until,
    reason,
    staffName,
    day: formatDay(toDate(day)),
    active: isInForce(suspension),
  };
}

/** The asker of a private question has no persona, and others may be deleted. */
const createMissingPersona = (memberId: string): Persona => ({
  ...createUnknownPersona(memberId),
  ...(hasCaseAskerPrefix(memberId) && { anonymousName: caseAskerName }),
});

function toShownState(message: CaseSubject['message']): Case['shown'] {
  if (!message || message.deleted) return 'deleted';
  return message.moderation ?? 'visible';
}

/** The evidence of each case, with the personas that its texts mention. */
async function listEvidence(
  db: Database,
  keys: ModerationKeys,
  rows: readonly CaseRow[],
): Promise<Map<string, Evidence>> {
  const evidenceRows = rows.flatMap(({ caseId, classId, evidence }) => {
    const storedEvidence = decryptEvidence(keys.evidence, { caseId, evidence });
    if (!storedEvidence) return [];
    const texts = [storedEvidence.text, ...storedEvidence.edits.map(({ text }) => text)];
    return [
      {
        caseId,
        classId,
        storedEvidence,
        mentioned: new Set(texts.flatMap(listMentionedIds)),
      },
    ];
  });
  const byClass = Map.groupBy(evidenceRows, ({ classId }) => classId);
  const personas = await listPersonasOfClasses(
    db,
    Array.from(byClass, ([classId, classEvidence]) => ({
      classId,
      memberIds: [...new Set(classEvidence.flatMap(({ mentioned }) => [...mentioned]))],
    })),
  );
  return new Map(
    evidenceRows.map(({ caseId, classId, storedEvidence, mentioned }) => [
      caseId,
      {
        text: storedEvidence.text,
        ...(storedEvidence.options && { options: storedEvidence.options }),
        createdAt: storedEvidence.createdAt,
        edits: storedEvidence.edits.map(({ text, editedAt }) => ({ text, editedAt })),
        images: storedEvidence.images.map((image) => toEvidencePicture(caseId, image)),
        personas: (personas.get(classId) ?? []).filter(({ memberId }) => mentioned.has(memberId)),
      },
    ]),
  );
}

/** Returns the picture with addresses at which the server checks the moderator's role instead of a membership. */
function toEvidencePicture(caseId: string, image: SentImage): Evidence['images'][number] {
  const { spoiler: _, ...picture } = toPicture(image);
  const toEvidencePath = (path: string) => path.replace(imagesPath, `${evidencePath}${caseId}/`);
  const { imageUrl, thumbUrl, pdfUrl } = picture;
  return {
    ...picture,
    imageUrl: toEvidencePath(imageUrl),
    thumbUrl: toEvidencePath(thumbUrl),
    ...(pdfUrl !== undefined && { pdfUrl: toEvidencePath(pdfUrl) }),
  };
}

const messagesAround = 5;
/** The number of log entries in which the messages of a reported member are searched. */
const searchedEntries = 2000;

/** The messages around the reported one, or the last messages of the reported member. */
export async function listCaseContext(
  db: Database,
  { classId, memberId, messageId }: CaseRow,
): Promise<CallReply<'readCaseContext'>> {
  const center = messageId === null ? null : await findMessage(db, classId, messageId);
  if (center) {
    const messagesBefore = await listMessages(db, classId, center.seq, messagesAround);
    const laterMessages = await listMessagesFrom(db, classId, center.seq, messagesAround + 1);
    const isCenterPresent = laterMessages[0]?.seq === center.seq;
    const messagesAfter = laterMessages.slice(0, messagesAround + (isCenterPresent ? 1 : 0));
    return takePage(db, classId, [...messagesBefore, ...messagesAfter], Number.MAX_SAFE_INTEGER);
  }
  const head = await findHead(db, classId);
  const authoredMessages = await listAuthoredMessages(
    db,
    classId,
    memberId,
    head - searchedEntries,
    head,
  );
  const seqs = authoredMessages.slice(-messagesAround).map(({ seq }) => seq);
  const messages = await listMessagesBySeq(db, classId, seqs);
  return takePage(db, classId, messages.toReversed(), Number.MAX_SAFE_INTEGER);
}

/** @throws {AppError} NOT_FOUND if the class has no such persona */
export async function getModeratedMember(
  db: Database,
  classId: string,
  memberId: string,
): Promise<CallReply<'readModeratedMember'>> {
  const persona = await findPersona(db, classId, memberId);
  const sanctions = await listSanctions(db, classId, memberId);
  const cases = await db
    .selectFrom('cases')
    .select(['status', 'decision'])
    .where('classId', '=', classId)
    .where('memberId', '=', memberId)
    .execute();
  if (!persona && sanctions.length === 0 && !(hasCaseAskerPrefix(memberId) && cases.length > 0)) {
    throw new AppError('NOT_FOUND');
  }
  // As in the queue, a decision that can still be undone counts.
  const decidedCases = cases.filter(({ status }) => status !== 'open');
  return {
    persona: persona ? toPersona(persona) : createMissingPersona(memberId),
    sanctions: sanctions.map((row) => ({
      sanctionId: row.sanctionId,
      kind: row.kind,
      until: row.until,
      reason: row.reason,
      staffName: row.staffName,
      day: formatDay(toDate(row.day)),
      active: isActive(row),
    })),
    caseCounts: {
      open: cases.length - decidedCases.length,
      kept: decidedCases.filter(({ decision }) => decision === 'keep').length,
      removed: decidedCases.filter(({ decision }) => decision === 'remove').length,
    },
  };
}
