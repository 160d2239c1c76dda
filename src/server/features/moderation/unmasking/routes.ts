// The calls of operators who unmask together. Only the answer to a confirmation has the address.
import type { KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import type { Account } from '#server/http/caller.ts';
import type { CheckIdentity } from '#server/accounts/identity-check.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import type { Roles } from '#server/chat/staff/roles.ts';
import {
  checkCanConfirm,
  checkCanUnmask,
  parseGround,
  closeConfirmed,
  findAddress,
  listWaitingUnmaskings,
  getUnmasking,
  requestUnmasking,
  withdrawUnmasking,
} from './unmasking.ts';
import type { Unmasking } from './unmasking-setting.ts';
import { checkRight } from '#server/chat/staff/rights.ts';
import { insertMail } from '#server/mail/insert-mail.ts';
import { createUnmaskingMail } from './unmasking-mail.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import type { CaseRow } from '#server/chat/messages/evidence-queries.ts';
import { findUnmasking } from './unmaskings-queries.ts';
import { getCaseScope, getCase } from '#server/features/moderation/reports/routes.ts';
import type { Route } from '#server/http/route.ts';

interface Dependencies {
  db: Database;
  personaKey: KeyObject;
  roles: Roles;
  unmasking: Unmasking;
  checkIdentity: CheckIdentity;
  mailKey: KeyObject;
  settings: { appName: string; origin: string };
}

export function registerUnmaskingRoutes(route: Route, dependencies: Dependencies): void {
  const { db, personaKey, roles, checkIdentity } = dependencies;

  async function getUnmaskableCase(reader: Database, account: Account, caseId: string) {
    const required = await getCase({ db: reader, roles }, account, caseId, 'unmask');
    await checkCanUnmask(reader, dependencies, required.foundCase);
    return required;
  }

  async function getRequest(reader: Database, account: Account, requestId: string) {
    await checkRight(reader, roles, account, null, 'unmask');
    const request = await findUnmasking(reader, requestId);
    if (!request) throw new AppError('NOT_FOUND');
    const context = { db: reader, roles };
    const { foundCase, staffName } = await getCase(context, account, request.caseId, 'unmask');
    return { request, foundCase, operator: { accountId: account.id, staffName } };
  }

  async function getConfirmableRequest(reader: Database, account: Account, requestId: string) {
    const required = await getRequest(reader, account, requestId);
    const { request, foundCase, operator } = required;
    const operatorIds = await roles.listOperatorIds(reader);
    await checkCanConfirm(reader, dependencies, request, foundCase, operator, operatorIds);
    return required;
  }

  /** @throws {AppError} WRONG_PASSWORD, which is audited, SIGN_IN_AGAIN and TOO_MANY */
  async function checkPassword(
    commits: CallCommits,
    account: Account,
    password: string,
    headers: Headers,
    { caseId, classId, memberId }: CaseRow,
    staffName: string,
  ): Promise<void> {
    try {
      await checkIdentity(account, password, headers);
    } catch (error) {
      if (error instanceof AppError && error.code === 'WRONG_PASSWORD') {
        const entry = { act: 'unmask-password', caseId, classId, memberId } as const;
        await commits.write(
          (unitOfWork) => appendAudit(unitOfWork, { ...entry, staffName, reason: '' }),
          { classId },
        );
      }
      throw error;
    }
  }

  /** Ignores the limit of mails per mailbox, which another operator could use up before. */
  async function queueOperatorMails(tx: DatabaseTransaction): Promise<void> {
    const { appName, origin } = dependencies.settings;
    for (const { email } of await roles.operators(tx)) {
      await insertMail(tx, dependencies.mailKey, createUnmaskingMail(email, appName, origin));
    }
  }

  route('listUnmaskings', 'signedIn', async ({ account }) => {
    await checkRight(db, roles, account, null, 'unmask');
    return { requests: await listWaitingUnmaskings(db, personaKey, account.id) };
  });

  route('readUnmasking', 'signedIn', async ({ account, params: { caseId } }) => {
    const { foundCase } = await getCase(dependencies, account, caseId, 'unmask');
    return getUnmasking(db, dependencies, foundCase, account.id);
  });

  route('requestUnmasking', { access: 'signedIn', rate: 'unmaskings' }, async (incoming) => {
    const { commits, account, body } = incoming;
    const { caseId } = incoming.params;
    const { foundCase, staffName: name } = await getUnmaskableCase(db, account, caseId);
    const reason = parseGround(body.reason);
    const { headers } = incoming.request;
    await checkPassword(commits, account, body.password, headers, foundCase, name);
    // The role may have ended while the password was checked.
    await commits.write(
      async (unitOfWork) => {
        const required = await getUnmaskableCase(unitOfWork.db, account, caseId);
        const operator = { accountId: account.id, staffName: required.staffName };
        await requestUnmasking(unitOfWork, dependencies, required.foundCase, operator, reason);
        await queueOperatorMails(unitOfWork.db);
        unitOfWork.addEffect({ kind: 'cases', classId: required.foundCase.classId });
      },
      await getCaseScope(db, caseId),
    );
    return getUnmasking(db, dependencies, foundCase, account.id);
  });

  route('confirmUnmasking', 'signedIn', async (incoming) => {
    const { commits, account, params, body } = incoming;
    const { requestId } = params;
    const { foundCase, operator } = await getConfirmableRequest(db, account, requestId);
    const { headers } = incoming.request;
    await checkPassword(commits, account, body.password, headers, foundCase, operator.staffName);
    // While the password was checked, the role may have ended, or another operator may have been first.
    const address = await commits.write(
      async (unitOfWork) => {
        const required = await getConfirmableRequest(unitOfWork.db, account, requestId);
        const matching = await findAddress(unitOfWork.db, personaKey, required.foundCase);
        const wasFound = matching !== null;
        await closeConfirmed(
          unitOfWork,
          required.request,
          required.foundCase,
          required.operator,
          wasFound,
        );
        unitOfWork.addEffect({ kind: 'cases', classId: required.foundCase.classId });
        return matching;
      },
      await getCaseScope(db, foundCase.caseId),
    );
    if (address === null) throw new AppError('UNMASKING_IMPOSSIBLE');
    return { address };
  });

  route('withdrawUnmasking', 'signedIn', async ({ commits, account, params: { requestId } }) => {
    const foundCase = await commits.write(async (unitOfWork) => {
      const required = await getRequest(unitOfWork.db, account, requestId);
      const { request, operator } = required;
      await withdrawUnmasking(unitOfWork, request, required.foundCase, operator);
      unitOfWork.addEffect({ kind: 'cases', classId: required.foundCase.classId });
      return required.foundCase;
    }, 'everything');
    return getUnmasking(db, dependencies, foundCase, account.id);
  });
}
