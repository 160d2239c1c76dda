// The calls of members who report, and of moderators who decide.
import type { KeyObject } from 'node:crypto';
import type { Hono } from 'hono';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import type { Case } from '#contract/moderation.ts';
import { isUrgentReason } from '#contract/report-reasons.ts';
import { evidencePath } from '#contract/routes.ts';
import type { Account } from '#server/http/caller.ts';
import { getMember } from '#server/chat/members/member.ts';
import {
  listCaseContext,
  getModeratedMember,
  listQueue,
  toCase,
  type CaseViewer,
} from './cases.ts';
import { decide, undoDecision } from './decisions.ts';
import { parseReason } from './reasons.ts';
import { decryptEvidence } from '#server/chat/messages/evidence.ts';
import { countWork } from '#server/features/moderation/work/waiting-work.ts';
import { listWaitingItems } from '#server/features/moderation/work/work-queries.ts';
import { isAbout } from '#server/chat/staff/case-readers.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import { isOwnReport, listOwnReports, report } from './reports.ts';
import { liftSanction } from '#server/features/moderation/sanctions/lift-sanction.ts';
import { toDecider } from './decider.ts';
import { checkNotSelf } from './self-decision.ts';
import { findReach, checkRight, type Reach, type Right } from '#server/chat/staff/rights.ts';
import type { ThreatMails } from './threat-mail.ts';
import type { Scope } from '#server/store/commit-locks.ts';
import type { Database } from '#server/store/tables.ts';
import { listEntries } from '#server/chat/staff/audit-log-queries.ts';
import type { CaseRow } from '#server/chat/messages/evidence-queries.ts';
import { findCase, isCaseForOperators } from './cases-queries.ts';
import { findClass, listClassLabels } from '#server/chat/classes/classes-queries.ts';
import type { Server } from '#server/feature.ts';
import { sendImageFile } from '#server/pictures/routes.ts';
import { findCookieHeader, type Route } from '#server/http/route.ts';

export type ModerationServer = Pick<Server, 'config' | 'db' | 'keys' | 'limiter' | 'roles'>;

/** Reports by members. */
export function registerReportRoutes(
  route: Route,
  server: ModerationServer,
  threatMails: ThreatMails,
): void {
  const { db, limiter } = server;
  const { helpLine, reportsToHide } = server.config;
  const personaKey = server.keys.personas;
  const keys = deriveModerationKeys(personaKey);

  route('reportMember', async ({ commits, account, params, body }) => {
    const { classId } = params;
    limiter.take('reports', account.id, 1, 'TOO_MANY_REPORTS');
    const actor = { personaKey, accountId: account.id, classId };
    const isUrgent = isUrgentReason(body.reason);
    const isNew = await commits.write(
      async (unitOfWork) => {
        const isAdded = await report(unitOfWork, actor, body, { keys, reportsToHide });
        if (isAdded && isUrgent) await threatMails.markDue(unitOfWork);
        return isAdded;
      },
      { classId },
    );
    if (isNew && isUrgent) await threatMails.send();
    return { reported: true, helpLine: isUrgent ? helpLine : null };
  });

  route('listOwnReports', async ({ account, params: { classId } }) => {
    const member = await getMember(db, personaKey, account.id, classId);
    const reports = await listOwnReports(db, keys, member, account.id);
    return {
      reports: reports.map(({ messageId, memberId, reason, state, day }) => {
        return { messageId, memberId, reason, state, day };
      }),
    };
  });
}

/** The queue and the decisions. */
export function registerModerationRoutes(route: Route, server: ModerationServer): void {
  const { config, db, keys, roles } = server;
  const { helpLine } = config;

  route('listCases', async ({ account, query }) => {
    if (query.caseId !== undefined) {
      const { foundCase } = await getCase(server, account, query.caseId, 'seeQueue');
      const cases = [await getCurrentCase(server, account, foundCase)];
      return { cases, next: null, helpLine };
    }
    const reach = await findReach(db, roles, account, 'seeQueue');
    const viewer = await getCaseViewer(server, account);
    return { ...(await listQueue(db, viewer, reach, query)), helpLine };
  });

  // Nothing waits for an account whose role has just ended.
  route('readWaitingWork', async ({ account }) =>
    countWork(db, server, account, await listWaitingItems(db)),
  );

  route('readCaseContext', async ({ account, params }) => {
    const { foundCase } = await getCase(server, account, params.caseId, 'seeQueue');
    return listCaseContext(db, foundCase);
  });

  route('decideCase', async ({ commits, account, params, body }) => {
    const { caseId } = params;
    const foundCase = await commits.write(
      async (unitOfWork) => {
        const inCommit = { ...server, db: unitOfWork.db };
        const required = await getCase(inCommit, account, caseId, 'decide');
        const { classId } = required.foundCase;
        if (body.sanction) await checkRight(unitOfWork.db, roles, account, classId, 'sanction');
        if (body.sanction?.kind === 'remove') {
          await checkNotOwnReport(inCommit, account, required.foundCase);
        }
        const decider = toDecider(keys.personas, caseId, account.id, required.staffName);
        await decide(unitOfWork, { ...required, review: null, body }, decider);
        return required.foundCase;
      },
      await getCaseScope(db, caseId),
    );
    return { case: await getCurrentCase(server, account, foundCase) };
  });

  route('undoDecision', async ({ commits, account, params: { caseId } }) => {
    const foundCase = await commits.write(
      async (unitOfWork) => {
        const inCommit = { ...server, db: unitOfWork.db };
        const required = await getCase(inCommit, account, caseId, 'decide');
        await undoDecision(unitOfWork, { ...required, review: null });
        return required.foundCase;
      },
      await getCaseScope(db, caseId),
    );
    return { case: await getCurrentCase(server, account, foundCase) };
  });
}

/** The history of a member, and the audit log. */
export function registerHistoryRoutes(route: Route, server: ModerationServer): void {
  const { db, keys } = server;

  route('readModeratedMember', async ({ account, params: { classId, memberId } }) => {
    if (await isAbout(db, keys.personas, account.id, { classId, memberId })) {
      throw new AppError('NOT_FOUND');
    }
    return getModeratedMember(db, classId, memberId);
  });

  route('liftSanction', async ({ commits, account, params, body }) => {
    const { classId } = params;
    const reason = parseReason(body.reason);
    await commits.write(
      async (unitOfWork, staffName) => {
        await checkNotSelf(unitOfWork.db, server, account, params);
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
  { db, keys }: Pick<Server, 'db' | 'keys'>,
  account: Account,
  foundCase: CaseRow,
): Promise<void> {
  if (await isOwnReport(db, deriveModerationKeys(keys.personas), account.id, foundCase)) {
    throw new AppError('OWN_CASE');
  }
}

/**
 * A case of another moderator's class, of a deleted class, for operators or about the account itself looks like a missing one.
 *
 * @throws {AppError} NOT_ALLOWED without any such role, NOT_FOUND
 */
export async function getCase(
  { db, keys, roles }: Pick<Server, 'db' | 'keys' | 'roles'>,
  account: Account,
  caseId: string,
  right: Right,
): Promise<{ foundCase: CaseRow; staffName: string }> {
  const reach = await findReach(db, roles, account, right);
  if (reach !== 'all' && reach.size === 0) throw new AppError('NOT_ALLOWED');
  const foundCase = await findCase(db, caseId);
  if (!foundCase || !(await isInReach(db, keys.personas, reach, account, foundCase))) {
    throw new AppError('NOT_FOUND');
  }
  return { foundCase, staffName: await checkRight(db, roles, account, foundCase.classId, right) };
}

async function isInReach(
  db: Database,
  personaKey: KeyObject,
  reach: Reach,
  account: Account,
  foundCase: CaseRow,
): Promise<boolean> {
  const { caseId, classId } = foundCase;
  if (reach !== 'all') {
    if (!reach.has(classId) || (await isCaseForOperators(db, caseId))) return false;
  }
  if (!(await findClass(db, classId))) return false;
  return !(await isAbout(db, personaKey, account.id, foundCase));
}

/** Changes of a case follow each other with those of its class. Who may see it is checked in the commit. */
export async function getCaseScope(db: Database, caseId: string): Promise<Scope> {
  return { classId: (await findCase(db, caseId))?.classId ?? caseId };
}

/** Only operators see suspensions and what is about them. */
async function getCaseViewer(
  { db, keys, roles }: ModerationServer,
  account: Account,
): Promise<CaseViewer> {
  const isOperator = (await findReach(db, roles, account, 'suspend')) === 'all';
  return {
    accountId: account.id,
    personaKey: keys.personas,
    keys: deriveModerationKeys(keys.personas),
    suspensions: isOperator ? keys.suspensions : null,
  };
}

/** The case as it is now. */
export async function getCurrentCase(
  server: ModerationServer,
  account: Account,
  foundCase: CaseRow,
): Promise<Case> {
  const current = (await findCase(server.db, foundCase.caseId)) ?? foundCase;
  return toCase(server.db, await getCaseViewer(server, account), current);
}

const evidenceFile = /^([\w-]{16})\/(([\w-]{16})(?:(?:\.small)?\.webp|\.pdf))$/;

/** The pictures of evidence. Register it before the files of pictures. All others than moderators get 404. */
export function serveEvidenceFiles(
  app: Hono,
  server: Pick<Server, 'db' | 'roles' | 'keys' | 'viewers' | 'callLimits' | 'images'>,
): void {
  const { db, roles, viewers, callLimits, images } = server;
  const personaKey = server.keys.personas;

  app.get(`${evidencePath}*`, async (context) => {
    const [, caseId, name, imageId] =
      evidenceFile.exec(context.req.path.slice(evidencePath.length)) ?? [];
    if (!caseId || !name || !imageId) throw new AppError('NOT_FOUND');
    const account = await viewers.authenticate(findCookieHeader(context));
    const caller = callLimits.getCaller(context, account);
    try {
      callLimits.admit(account, caller, 'pictures');
    } catch (error) {
      await callLimits.delayRejection(error, caller);
      throw error;
    }
    if (!account) throw new AppError('NOT_FOUND');
    const reach = await findReach(db, roles, account, 'seeQueue');
    const foundCase = await findCase(db, caseId);
    const isVisible =
      foundCase !== null && (await isInReach(db, personaKey, reach, account, foundCase));
    const evidence = isVisible
      ? decryptEvidence(deriveModerationKeys(personaKey).evidence, foundCase)
      : null;
    if (!evidence?.images.some((image) => image.imageId === imageId)) {
      throw new AppError('NOT_FOUND');
    }
    return sendImageFile(context, images, name);
  });
}
