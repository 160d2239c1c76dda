// The calls of operators who unmask together. Only the answer to a confirmation has the address.
import { AppError } from '#contract/errors.ts';
import type { Account } from '#server/http/caller.ts';
import type { CheckIdentity } from '#server/accounts/identity-check.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import { listOperatorRecipients } from '#server/features/moderation/list-operator-recipients.ts';
import type { Unmasking } from './unmasking-setting.ts';
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
  type UnmaskingServer,
} from './unmasking.ts';
import { insertMail } from '#server/mail/insert-mail.ts';
import { createUnmaskingMail } from './unmasking-mail.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Reader } from '#server/store/site.ts';
import type { CaseRow } from '#server/chat/messages/evidence-queries.ts';
import { findUnmasking } from './unmaskings-queries.ts';
import { toCaseEffect } from '#server/features/moderation/reports/cases-queries.ts';
import { getCaseScope, getCase } from '#server/features/moderation/reports/case-access.ts';
import type { Route } from '#server/http/route.ts';

export function registerUnmaskingRoutes(route: Route, server: UnmaskingServer): void {
  registerViewRoutes(route, server);
  registerRequestRoutes(route, server);
}

function registerViewRoutes(route: Route, server: UnmaskingServer): void {
  route('listUnmaskings', async ({ account }) => ({
    requests: await listWaitingUnmaskings(server, account.id),
  }));

  route('readUnmasking', async ({ account, params: { caseId } }) => {
    const { foundCase } = await getCase(server, account, caseId, 'unmask');
    return getUnmasking(server, foundCase, account.id);
  });
}

/** The calls that request an unmasking, confirm the request or withdraw it. */
function registerRequestRoutes(route: Route, server: UnmaskingServer): void {
  const { db, unmasking, checkIdentity } = server;

  route('requestUnmasking', async (incoming) => {
    const { commits, account, body } = incoming;
    const { caseId } = incoming.params;
    const unmaskable = await getUnmaskableCase(server, unmasking, account, caseId);
    const { foundCase } = unmaskable;
    const reason = parseGround(body.reason);
    await checkPassword(checkIdentity, incoming, foundCase, unmaskable.staffName);
    // The role may have ended while the password was checked.
    await commits.write(
      async (unitOfWork) => {
        const required = await getUnmaskableCase(unitOfWork, unmasking, account, caseId);
        const operator = { accountId: account.id, staffName: required.staffName };
        await requestUnmasking(unitOfWork, unmasking, required.foundCase, operator, reason);
        await queueOperatorMails(unitOfWork, server.config);
        unitOfWork.addEffect(toCaseEffect(required.foundCase));
      },
      await getCaseScope(db, caseId),
    );
    return getUnmasking(server, foundCase, account.id);
  });

  route('confirmUnmasking', async (incoming) => {
    const { commits, account } = incoming;
    const { requestId } = incoming.params;
    const confirmable = await getConfirmableRequest(server, unmasking, account, requestId);
    const { foundCase, operator } = confirmable;
    await checkPassword(checkIdentity, incoming, foundCase, operator.staffName);
    // While the password was checked, the role may have ended, or another operator may have been first.
    const address = await commits.write(
      async (unitOfWork) => {
        const required = await getConfirmableRequest(unitOfWork, unmasking, account, requestId);
        const matching = await findAddress(unitOfWork, required.foundCase);
        const wasFound = matching !== null;
        await closeConfirmed(
          unitOfWork,
          required.request,
          required.foundCase,
          required.operator,
          wasFound,
        );
        unitOfWork.addEffect(toCaseEffect(required.foundCase));
        return matching;
      },
      await getCaseScope(db, foundCase.caseId),
    );
    if (address === null) throw new AppError('UNMASKING_IMPOSSIBLE');
    return { address };
  });

  route('withdrawUnmasking', async ({ commits, account, params: { requestId } }) => {
    const foundCase = await commits.write(async (unitOfWork) => {
      const required = await getRequest(unitOfWork, account, requestId);
      const { request, operator } = required;
      await withdrawUnmasking(unitOfWork, request, required.foundCase, operator);
      unitOfWork.addEffect(toCaseEffect(required.foundCase));
      return required.foundCase;
    }, 'everything');
    return getUnmasking(server, foundCase, account.id);
  });
}

async function getUnmaskableCase(
  reader: Reader,
  unmasking: Unmasking,
  account: Account,
  caseId: string,
) {
  const required = await getCase(reader, account, caseId, 'unmask');
  await checkCanUnmask(reader.db, unmasking, required.foundCase);
  return required;
}

async function getConfirmableRequest(
  reader: Reader,
  unmasking: Unmasking,
  account: Account,
  requestId: string,
) {
  const required = await getRequest(reader, account, requestId);
  const { request, foundCase, operator } = required;
  await checkCanConfirm(reader, unmasking, request, foundCase, operator);
  return required;
}

async function getRequest(reader: Reader, account: Account, requestId: string) {
  const request = await findUnmasking(reader.db, requestId);
  if (!request) throw new AppError('NOT_FOUND');
  const { foundCase, staffName } = await getCase(reader, account, request.caseId, 'unmask');
  return { request, foundCase, operator: { accountId: account.id, staffName } };
}

interface CallWithPassword {
  commits: CallCommits;
  account: Account;
  body: { password: string };
  request: Request;
}

/** @throws {AppError} WRONG_PASSWORD, which is audited, SIGN_IN_AGAIN and TOO_MANY */
async function checkPassword(
  checkIdentity: CheckIdentity,
  { commits, account, body, request }: CallWithPassword,
  { caseId, classId, memberId }: CaseRow,
  staffName: string,
): Promise<void> {
  try {
    await checkIdentity(account, body.password, request.headers);
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
async function queueOperatorMails(
  unitOfWork: UnitOfWork,
  config: UnmaskingServer['config'],
): Promise<void> {
  for (const operator of await listOperatorRecipients(unitOfWork, config)) {
    const mail = createUnmaskingMail(operator, config.appName, config.publicUrl.origin);
    await insertMail(unitOfWork.db, unitOfWork.site.keys.mails, mail);
  }
}
