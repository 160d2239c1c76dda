// The queue as moderators see it: what was reported and about which persona. It names no account and no reporter.
import { classLabel } from '#contract/class-label.ts';
import { defaultName } from '#contract/default-name.ts';
import type { Persona } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { mentionsIn } from '#contract/mentions.ts';
import type { CallReply } from '#contract/http.ts';
import type { Case, Evidence, Review } from '#contract/moderation.ts';
import { evidencePath, imagesPath } from '#contract/routes.ts';
import { dateOf, formatDay } from '#server/base/days.ts';
import type { ModerationKeys, SuspensionKeys } from '#server/chat/staff/keys.ts';
import type { Database } from '#server/store/tables.ts';
import { listMessagesOf, readHeadOf } from '#server/chat/messages/authored-content-queries.ts';
import type { CaseRow } from '#server/chat/messages/evidence-queries.ts';
import { findCase, listCases, listCasesOf } from './cases-queries.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { toPicture, type SentImage } from '#server/chat/messages/attachment-queries.ts';
import {
  findMessage,
  listMessages,
  listMessagesBySeq,
  listMessagesFrom,
} from '#server/chat/messages/messages-queries.ts';
import { findPersona, listPersonas, toPersona } from '#server/chat/members/personas-queries.ts';
import { countReports, listReports } from './reports-queries.ts';
import { listReviews } from '#server/features/moderation/sanctions/reviews-queries.ts';
import { listSanctions } from '#server/chat/members/sanctions-queries.ts';
import { findSuspension } from '#server/chat/staff/suspensions-queries.ts';
import { takePage } from '#server/chat/messages/history.ts';
import type { Reach } from '#server/chat/staff/rights.ts';
import { readEvidence } from '#server/chat/messages/evidence.ts';
import { readAppealed, readText } from '#server/features/moderation/sanctions/reviews.ts';
import { unsealReport } from './reports.ts';
import { isActive } from '#server/chat/members/sanctions.ts';
import { isInForce, readSuspension } from '#server/chat/staff/suspensions.ts';

/** What reads a case. `suspensions` is null for moderators, who see none. */
export interface CaseKeys extends ModerationKeys {
  suspensions: SuspensionKeys | null;
}

export interface CaseSelection {
  classId?: string | undefined;
  state: 'open' | 'decided' | 'escalated' | 'appeals';
  before?: string | undefined;
}

/** @throws {AppError} NOT_ALLOWED if the class is not in reach */
export async function readQueue(
  db: Database,
  keys: CaseKeys,
  reach: Reach,
  { classId, state, before }: CaseSelection,
): Promise<{ cases: Case[]; next: string | null }> {
  const isOutOfReach = reach !== 'all' && (classId ? !reach.has(classId) : reach.size === 0);
  if (isOutOfReach) throw new AppError('NOT_ALLOWED');
  const reachable = reach === 'all' ? null : [...reach];
  const last = before === undefined ? null : await findCase(db, before);
  if (before !== undefined && !last) return { cases: [], next: null };
  const found = await listCases(db, {
    classIds: classId ? [classId] : reachable,
    ...{ state, withSuspensions: keys.suspensions !== null },
    before: last?.number ?? Number.MAX_SAFE_INTEGER,
    limit: limits.casesPage + 1,
  });
  const page = found.slice(0, limits.casesPage);
  const cases: Case[] = [];
  for (const row of page) cases.push(await toCase(db, keys, row));
  return { cases, next: found.length > page.length ? (page.at(-1)?.caseId ?? null) : null };
}

export async function toCase(db: Database, keys: CaseKeys, row: CaseRow): Promise<Case> {
  const { caseId, classId, memberId, messageId, sanctionKind, sanctionHours } = row;
  const found = await findClass(db, classId);
  const reports = await listReports(db, caseId, limits.reportsOfCase);
  const hours = sanctionHours as 1 | 24 | 168 | null;
  return {
    ...{ caseId, classId, messageId },
    label: found ? classLabel(found) : '',
    persona: await personaOf(db, classId, memberId),
    shown: messageId === null ? null : await shownAs(db, classId, messageId),
    evidence: await toEvidence(db, keys, row),
    reportCount: await countReports(db, caseId),
    reports: reports.toReversed().map((report) => ({
      reason: report.reason,
      text: unsealReport(keys, report),
      day: formatDay(dateOf(report.day)),
    })),
    state: row.status === 'open' ? 'open' : 'decided',
    decision: row.decision,
    sanction: sanctionKind && { kind: sanctionKind, hours },
    reason: row.reason,
    decidedBy: row.decidedBy,
    effectiveAt: row.effectiveAt,
    version: row.version,
    reviews: await toReviews(db, keys, caseId),
    suspension: keys.suspensions && (await toSuspension(db, keys.suspensions, caseId)),
  };
}

/** A moderator of a class sees that the case was escalated, but not what operators decided. */
async function toReviews(
  db: Database,
  { evidence, suspensions }: CaseKeys,
  caseId: string,
): Promise<Review[]> {
  const reviews: Review[] = [];
  for (const row of await listReviews(db, caseId)) {
    const isForOperators = row.kind === 'escalation' || row.subjectKind === 'suspension';
    const isHidden = isForOperators && suspensions === null;
    if (isHidden && row.kind === 'appeal') continue;
    const { reviewId, kind, version, decision, days, reason, decidedBy, effectiveAt } = row;
    reviews.push({
      ...{ reviewId, kind, version },
      sanction: await readAppealed(db, suspensions, row),
      text: readText(evidence, row),
      day: formatDay(dateOf(row.day)),
      state: row.status === 'open' ? 'open' : 'decided',
      ...(isHidden
        ? { decision: null, days: null, reason: null, decidedBy: null, effectiveAt: null }
        : { decision, days: days as Review['days'], reason, decidedBy, effectiveAt }),
    });
  }
  return reviews;
}

async function toSuspension(
  db: Database,
  { contents }: SuspensionKeys,
  caseId: string,
): Promise<Case['suspension']> {
  const row = await findSuspension(db, { caseId });
  if (!row) return null;
  const suspension = readSuspension(contents, row);
  const { suspensionId, until, reason, staffName, day } = suspension;
  return {
    ...{ suspensionId, until, reason, staffName },
    day: formatDay(dateOf(day)),
    active: isInForce(suspension),
  };
}

async function personaOf(db: Database, classId: string, memberId: string): Promise<Persona> {
  const found = await findPersona(db, classId, memberId);
  return found ? toPersona(found) : { memberId, anonymousName: defaultName, icon: memberId };
}

async function shownAs(db: Database, classId: string, messageId: string): Promise<Case['shown']> {
  const message = await findMessage(db, classId, messageId);
  if (!message || message.deleted) return 'deleted';
  return message.moderation ?? 'visible';
}

async function toEvidence(
  db: Database,
  keys: ModerationKeys,
  row: CaseRow,
): Promise<Evidence | null> {
  const stored = readEvidence(keys.evidence, row);
  if (!stored) return null;
  const { text, images, createdAt, edits } = stored;
  const mentioned = [text, ...edits.map((edit) => edit.text)].flatMap(mentionsIn);
  return {
    ...{ text, createdAt },
    edits: edits.map(({ text: edited, editedAt }) => ({ text: edited, editedAt })),
    images: images.map((image) => evidencePicture(row.caseId, image)),
    personas: await listPersonas(db, row.classId, [...new Set(mentioned)]),
  };
}

/** The picture under addresses that check the moderator's role instead of a membership. */
function evidencePicture(caseId: string, image: SentImage): Evidence['images'][number] {
  const picture = toPicture(image);
  const moved = (path: string) => path.replace(imagesPath, `${evidencePath}${caseId}/`);
  const { imageUrl, thumbUrl, pdfUrl } = picture;
  return {
    ...picture,
    imageUrl: moved(imageUrl),
    thumbUrl: moved(thumbUrl),
    ...(pdfUrl !== undefined && { pdfUrl: moved(pdfUrl) }),
  };
}

const messagesAround = 5;
/** How far back the messages of a reported member are searched, in log entries. */
const searchedEntries = 2000;

/** The messages around the reported one, or the last messages of the reported member. */
export async function readContext(
  db: Database,
  { classId, memberId, messageId }: CaseRow,
): Promise<CallReply<'readCaseContext'>> {
  const center = messageId === null ? null : await findMessage(db, classId, messageId);
  if (center) {
    const before = await listMessages(db, classId, center.seq, messagesAround);
    const from = await listMessagesFrom(db, classId, center.seq, messagesAround + 1);
    const isThere = from[0]?.seq === center.seq;
    const after = from.slice(0, messagesAround + (isThere ? 1 : 0));
    return takePage(db, classId, [...before, ...after], Number.MAX_SAFE_INTEGER);
  }
  const head = await readHeadOf(db, classId);
  const own = await listMessagesOf(db, classId, memberId, head - searchedEntries, head);
  const seqs = own.slice(-messagesAround).map(({ seq }) => seq);
  const messages = await listMessagesBySeq(db, classId, seqs);
  return takePage(db, classId, messages.toReversed(), Number.MAX_SAFE_INTEGER);
}

/** @throws {AppError} NOT_FOUND if the class is deleted or has no such persona */
export async function readModeratedMember(
  db: Database,
  classId: string,
  memberId: string,
): Promise<CallReply<'readModeratedMember'>> {
  if (!(await findClass(db, classId))) throw new AppError('NOT_FOUND');
  const persona = await findPersona(db, classId, memberId);
  const sanctions = await listSanctions(db, classId, memberId);
  if (!persona && sanctions.length === 0) throw new AppError('NOT_FOUND');
  const cases = await listCasesOf(db, classId, memberId);
  const decided = cases.filter(({ status }) => status === 'decided');
  return {
    persona: await personaOf(db, classId, memberId),
    sanctions: sanctions.map((row) => ({
      sanctionId: row.sanctionId,
      kind: row.kind,
      until: row.until,
      reason: row.reason,
      staffName: row.staffName,
      day: formatDay(dateOf(row.day)),
      active: isActive(row),
    })),
    caseCounts: {
      open: cases.length - decided.length,
      kept: decided.filter(({ decision }) => decision === 'keep').length,
      removed: decided.filter(({ decision }) => decision === 'remove').length,
    },
  };
}
