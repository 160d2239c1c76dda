// The calls of members who report, and of moderators who decide. Who has the right to a call is in contract/moderation.ts (`who`).
// The route checks roles before the handler, and again in the commit, which passes `staffName`. case-access.ts checks the right to
// a case.
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { isUrgentReason } from '#contract/report-reasons.ts';
import type { Account } from '#server/http/caller.ts';
import { getMember } from '#server/chat/members/member.ts';
import { getCase, getCaseScope, getCaseViewer, getCurrentCase } from './case-access.ts';
import { listCaseContext, getModeratedMember, listQueue } from './cases.ts';
import { decide, undoDecision } from './decisions.ts';
import { parseReason } from './reasons.ts';
import { countWork } from '#server/features/moderation/work/waiting-work.ts';
import { listWaitingItems } from '#server/features/moderation/work/work-queries.ts';
import { isAbout } from '#server/chat/staff/case-readers.ts';
import { isOwnReport, listOwnReports, report } from './reports.ts';
import { liftSanction } from '#server/features/moderation/sanctions/lift-sanction.ts';
import { toDecider } from './decider.ts';
import { checkNotSelf } from './self-decision.ts';
import { findReach, checkRight } from '#server/chat/staff/rights.ts';
import type { Server } from '#server/feature.ts';
import type { ThreatMails } from './threat-mail.ts';
import { listEntries } from '#server/chat/staff/audit-log-queries.ts';
import type { CaseRow } from '#server/chat/messages/evidence-queries.ts';
import { listClassLabels } from '#server/chat/classes/classes-queries.ts';
import type { Route } from '#server/http/route.ts';
import type { Reader } from '#server/store/site.ts';

export type ModerationServer = Pick<Server, 'config' | 'db' | 'site' | 'limiter'>;

/** Reports by members. */
export function registerReportRoutes(
  route: Route,
  server: ModerationServer,
  threatMails: ThreatMails,
): void {
  const { limiter } = server;
  const { helpLine, reportsToHide } = server.config;

  route('reportMember', async ({ commits, account, params, body }) => {
    const { classId } = params;
    limiter.take('reports', account.id, 1, 'TOO_MANY_REPORTS');
    const actor = { accountId: account.id, classId };
    const isUrgent = isUrgentReason(body.reason);
    const isNew = await commits.write(
      async (unitOfWork) => {
        const isAdded = await report(unitOfWork, actor, body, reportsToHide);
        if (isAdded && isUrgent) await threatMails.markDue(unitOfWork);
        return isAdded;
      },
      { classId },
    );
    if (isNew && isUrgent) await threatMails.send();
    return { reported: true, helpLine: isUrgent ? helpLine : null };
  });

  route('listOwnReports', async ({ account, params: { classId } }) => {
    const member = await getMember(server, account.id, classId);
    const reports = await listOwnReports(server, member, account.id);
    return {
      reports: reports.map(({ messageId, memberId, reason, state, day }) => {
        return { messageId, memberId, reason, state, day };
      }),
    };
  });
}

/** The queue and the decisions. */
export function registerModerationRoutes(route: Route, server: ModerationServer): void {
  const { config, db, site } = server;
  const { helpLine } = config;

  route('listCases', async ({ account, query }) => {
    if (query.caseId !== undefined) {
      const { foundCase } = await getCase(server, account, query.caseId, 'seeQueue');
      const cases = [await getCurrentCase(server, account, foundCase)];
      return { cases, next: null, helpLine };
    }
    const reach = await findReach(server, account, 'seeQueue');
    const viewer = await getCaseViewer(server, account);
    return { ...(await listQueue(db, viewer, reach, query)), helpLine };
  });

  // Nothing waits for an account whose role has just ended.
  route('readWaitingWork', async ({ account }) =>
    countWork(server, account, await listWaitingItems(db)),
  );

  route('readCaseContext', async ({ account, params }) => {
    const { foundCase } = await getCase(server, account, params.caseId, 'seeQueue');
    return listCaseContext(db, foundCase);
  });

  route('decideCase', async ({ commits, account, params, body }) => {
    const { caseId } = params;
    const decidedCase = await commits.write(
      async (unitOfWork) => {
        const { foundCase, staffName } = await getCase(unitOfWork, account, caseId, 'decide');
        const { classId } = foundCase;
        if (body.sanction) await checkRight(unitOfWork, account, classId, 'sanction');
        if (body.sanction?.kind === 'remove') {
          await checkNotOwnReport(unitOfWork, account, foundCase);
        }
        const decider = toDecider(site, caseId, account.id, staffName);
        await decide(unitOfWork, { foundCase, review: null, body }, decider);
        return foundCase;
      },
      await getCaseScope(db, caseId),
    );
    return { case: await getCurrentCase(server, account, decidedCase) };
  });

  route('undoDecision', async ({ commits, account, params: { caseId } }) => {
    const reopenedCase = await commits.write(
      async (unitOfWork) => {
        const { foundCase } = await getCase(unitOfWork, account, caseId, 'decide');
        await undoDecision(unitOfWork, { foundCase, review: null });
        return foundCase;
      },
      await getCaseScope(db, caseId),
    );
    return { case: await getCurrentCase(server, account, reopenedCase) };
  });
}

/** The history of a member, and the audit log. */
export function registerHistoryRoutes(route: Route, server: ModerationServer): void {
  const { db } = server;

  route('readModeratedMember', async ({ account, params: { classId, memberId } }) => {
    if (await isAbout(server, account.id, { classId, memberId })) {
      throw new AppError('NOT_FOUND');
    }
    return getModeratedMember(db, classId, memberId);
  });

  route('liftSanction', async ({ commits, account, params, body }) => {
    const { classId } = params;
    const reason = parseReason(body.reason);
    await commits.write(
      async (unitOfWork, staffName) => {
        await checkNotSelf(unitOfWork, account, params);
        await liftSanction(unitOfWork, { ...params, staffName, reason });
        unitOfWork.addEffect({ kind: 'case', classId, isForOperators: false });
      },
      { classId },
    );
    return {};
  });

  route('listAuditLog', async ({ query }) => {
    const foundEntries = await listEntries(db, query, limits.auditPage + 1);
    const entries = foundEntries.slice(0, limits.auditPage);
    const labels = await listClassLabels(
      db,
      entries.flatMap(({ classId }) => classId ?? []),
    );
    return {
      entries: entries.map((entry) => ({
        ...entry,
        label: labels.get(entry.classId ?? '') ?? null,
      })),
      hasOlder: foundEntries.length > entries.length,
    };
  });
}

/**
 * A second person decides about the removal of a member whom a moderator has reported.
 *
 * @throws {AppError} OWN_CASE
 */
async function checkNotOwnReport(
  reader: Reader,
  account: Account,
  foundCase: CaseRow,
): Promise<void> {
  if (await isOwnReport(reader, account.id, foundCase)) {
    throw new AppError('OWN_CASE');
  }
}
