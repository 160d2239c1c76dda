// Who may see and decide a case, and what they see of it.
import { AppError } from '#contract/errors.ts';
import type { Case } from '#contract/moderation.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import type { CaseRow } from '#server/chat/messages/evidence-queries.ts';
import { isAbout } from '#server/chat/staff/case-readers.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import {
  findReach,
  listRolesWith,
  toReach,
  type Reach,
  type Right,
} from '#server/chat/staff/rights.ts';
import type { Account } from '#server/http/caller.ts';
import type { Scope } from '#server/store/commit-locks.ts';
import type { Reader } from '#server/store/site.ts';
import type { Database } from '#server/store/tables.ts';
import { findCase, isCaseForOperators } from './cases-queries.ts';
import { toCase, type CaseViewer } from './cases.ts';

/**
 * A case of another moderator's class, of a deleted class, for operators or about the account itself looks like a missing one.
 *
 * @throws {AppError} NOT_ALLOWED without any such role, NOT_FOUND
 */
export async function getCase(
  reader: Reader,
  account: Account,
  caseId: string,
  right: Right,
): Promise<{ foundCase: CaseRow; staffName: string }> {
  const roles = await listRolesWith(reader, account, right);
  if (roles.length === 0) throw new AppError('NOT_ALLOWED');
  const foundCase = await findCaseInReach(reader, toReach(roles), account, caseId);
  if (!foundCase) throw new AppError('NOT_FOUND');
  const role = roles.find(({ classId }) => classId === null || classId === foundCase.classId);
  return { foundCase, staffName: role?.staffName ?? '' };
}

/** @returns null for a case that the account must not see, too */
export async function findCaseInReach(
  reader: Reader,
  reach: Reach,
  account: Account,
  caseId: string,
): Promise<CaseRow | null> {
  const { db } = reader;
  const foundCase = await findCase(db, caseId);
  if (!foundCase) return null;
  const { classId } = foundCase;
  if (reach !== 'all') {
    if (!reach.has(classId) || (await isCaseForOperators(db, caseId))) return null;
  }
  if (!(await findClass(db, classId))) return null;
  return (await isAbout(reader, account.id, foundCase)) ? null : foundCase;
}

/** Changes of a case follow each other with those of its class. Who may see it is checked in the commit. */
export async function getCaseScope(db: Database, caseId: string): Promise<Scope> {
  return { classId: (await findCase(db, caseId))?.classId ?? caseId };
}

/** Only operators see suspensions and what is about them. */
export async function getCaseViewer(reader: Reader, account: Account): Promise<CaseViewer> {
  const { keys } = reader.site;
  const isOperator = (await findReach(reader, account, 'suspend')) === 'all';
  return {
    accountId: account.id,
    site: reader.site,
    keys: deriveModerationKeys(keys.personas),
    suspensions: isOperator ? keys.suspensions : null,
  };
}

/** The case as it is now. */
export async function getCurrentCase(
  reader: Reader,
  account: Account,
  foundCase: CaseRow,
): Promise<Case> {
  const current = (await findCase(reader.db, foundCase.caseId)) ?? foundCase;
  return toCase(reader.db, await getCaseViewer(reader, account), current);
}
