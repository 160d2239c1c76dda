// Reports from outside. They are no cases: a case is about a persona, and these may be about anything. Nothing that a report names
// is looked up, so the answer tells no one what exists. Whoever reports is not asked for a session, also not a member.
import type { KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import type {
  OutsideDecisionBody,
  OutsideReport,
  OutsideReportBody,
} from '#contract/outside-reports.ts';
import { formatDay, getToday, toDate } from '#server/base/days.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { openRecord, sealRecord, tryToOpen } from '#server/base/seal.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import type { Server } from '#server/feature.ts';
import { parseReason } from '#server/features/moderation/reports/reasons.ts';
import { insertMail } from '#server/mail/insert-mail.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Reader } from '#server/store/site.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import { createDecisionMail, createReportReceipt } from './outside-report-mails.ts';
import {
  deleteOutsideReportsBefore,
  insertOutsideReport,
  listOutsideReportRows,
  listOutsideReportsAfter,
  lockOutsideReport,
  updateOutsideReport,
  type OutsideReportRow,
} from './outside-reports-queries.ts';

export type OutsideServer = Pick<
  Server,
  'config' | 'db' | 'site' | 'commits' | 'limiter' | 'addresses' | 'mailboxes'
>;

interface OutsideReportContent {
  what: string;
  place: string;
  contactAddress: string;
  /** The language of the answer. */
  language: string;
  /** Days since 1970. */
  reportedDay: number;
  /** Null while it waits, like the next two. */
  decision: OutsideDecisionBody['decision'] | null;
  reason: string | null;
  decidedBy: string | null;
}

/** Holds the longest report with its answer. */
const paddedBytes = 10_240;
/** Days after the decision, or after a report without one: one can complain for six months (article 20 of the DSA). */
const keptDays = 184; // OUT-3
const reportsPerPage = 50;

/** @throws {AppError} TOO_MANY if the site has had too many */
export async function receiveOutsideReport(
  server: OutsideServer,
  report: OutsideReportBody & { language: string },
): Promise<void> {
  const { commits, config, limiter } = server;
  limiter.take('allOutsideReports', 'all');
  // Before the commit, which may run twice.
  const hasReceipt = limiter.tryTake('outsideMails', toMailKey(server, 'receipt', report));
  const reportId = createRandomId();
  const day = getToday();
  const content = { ...report, reportedDay: day, decision: null, reason: null, decidedBy: null };
  await commits.write(async ({ db, site: { keys } }) => {
    const sealed = sealContent(keys.personas, reportId, content);
    await insertOutsideReport(db, { reportId, status: 'open', day, content: sealed });
    if (hasReceipt) await insertMail(db, keys.mails, createReportReceipt(report, config));
  }, 'independent');
}

/** Lists those that wait, the oldest first, and then the newest decisions. */
export async function listOutsideReports({ db, site }: Reader): Promise<OutsideReport[]> {
  const rows = [
    ...(await listOutsideReportRows(db, 'open', limits.listedOutsideReports)),
    ...(await listOutsideReportRows(db, 'decided', limits.listedOutsideReports)),
  ];
  return rows.flatMap((row) => {
    const content = tryToOpen(() => openContent(site.keys.personas, row));
    if (!content) return [];
    const { language: _, reportedDay, ...report } = content;
    return { ...report, reportId: row.reportId, reportedDay: formatDay(toDate(reportedDay)) };
  });
}

/**
 * The same decision of the same operator changes nothing: the browser may repeat the call if it got no answer.
 *
 * @returns the key by which `outsideMails` counts the mail after the commit, which may run twice; null if there is none
 * @throws {AppError} NOT_FOUND, ALREADY_DECIDED, REASON_MISSING, INVALID, TOO_MANY if the mailbox gets no more decisions today
 */
export async function decideOutsideReport(
  unitOfWork: UnitOfWork,
  { reportId, decision, reason: typedReason }: OutsideDecisionBody & { reportId: string },
  staffName: string,
  server: OutsideServer,
): Promise<string | null> {
  const { db, site } = unitOfWork;
  const { personas, mails } = site.keys;
  const reason = decision === 'spam' ? '' : parseReason(typedReason);
  const row = await lockOutsideReport(db, reportId);
  if (!row) throw new AppError('NOT_FOUND');
  const report = openContent(personas, row);
  const isRepeated = report.decision === decision && report.reason === reason;
  if (isRepeated && report.decidedBy === staffName) return null;
  if (report.decision !== null) {
    throw new AppError('ALREADY_DECIDED', { decidedBy: report.decidedBy ?? '' });
  }
  const mailKey = decision === 'spam' ? null : toMailKey(server, 'decision', report);
  if (mailKey !== null && server.limiter.isExhausted('outsideMails', mailKey)) {
    throw new AppError('TOO_MANY_DECISIONS');
  }
  const content = sealContent(personas, reportId, {
    ...report,
    decision,
    reason,
    decidedBy: staffName,
  });
  await updateOutsideReport(db, { reportId, status: 'decided', day: getToday(), content });
  if (decision !== 'spam') {
    await insertMail(db, mails, createDecisionMail(report, { decision, reason }, server.config));
  }
  await appendAudit(unitOfWork, { staffName, act: 'decide-outside-report', reason: '' });
  return mailKey;
}

/** Receipts and decisions count apart. Many mail providers ignore dots, so the victim of a flood has one mailbox without them. */
function toMailKey(
  { addresses, mailboxes }: OutsideServer,
  kind: 'receipt' | 'decision',
  { contactAddress }: Pick<OutsideReportBody, 'contactAddress'>,
): string {
  const mailbox = mailboxes.toMailbox(contactAddress).replaceAll(/\.(?=.*@)/g, '');
  return `${kind} ${addresses.hashEmail(mailbox)}`;
}

/** @param day today, as removals see it */
export async function removeOldOutsideReports(commits: CommitQueue, day: number): Promise<void> {
  await commits.write(async (unitOfWork) => {
    const hasRemoved = await deleteOutsideReportsBefore(unitOfWork.db, day - keptDays);
    if (hasRemoved) unitOfWork.contentErased();
  }, 'independent');
}

/** Encrypts all of them with another server key. */
export async function rekeyOutsideReports(
  db: DatabaseTransaction,
  oldKey: KeyObject,
  newKey: KeyObject,
): Promise<void> {
  let rows = await listOutsideReportsAfter(db, '', reportsPerPage);
  while (rows.length > 0) {
    for (const row of rows) {
      const content = sealContent(newKey, row.reportId, openContent(oldKey, row));
      await updateOutsideReport(db, { ...row, content });
    }
    rows = await listOutsideReportsAfter(db, rows.at(-1)?.reportId ?? '', reportsPerPage);
  }
}

function sealContent(personaKey: KeyObject, reportId: string, content: OutsideReportContent) {
  const { evidence } = deriveModerationKeys(personaKey);
  return sealRecord(evidence, content, { step: paddedBytes, context: toContext(reportId) });
}

function openContent(personaKey: KeyObject, { reportId, content }: OutsideReportRow) {
  const { evidence } = deriveModerationKeys(personaKey);
  return openRecord(evidence, content, toContext(reportId)) as OutsideReportContent;
}

const toContext = (reportId: string) => `outside report ${reportId}`;
