// The calls of operators who unmask together. Only the answer to a confirmation has the address.
import type { KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import type { Account } from '../accounts/accounts.ts';
import type { CheckIdentity } from '../accounts/identity-check.ts';
import { appendAudit } from '../domain/moderation/audit-log.ts';
import type { Roles } from '../domain/moderation/roles.ts';
import {
  checkCanConfirm,
  checkCanUnmask,
  checkedGround,
  closeConfirmed,
  findAddress,
  listWaitingUnmaskings,
  readUnmasking,
  requestUnmasking,
  withdrawUnmasking,
} from '../domain/moderation/unmasking.ts';
import type { Unmasking } from '../domain/moderation/unmasking-setting.ts';
import { requireRight } from '../domain/rights.ts';
import type { EnqueueMail } from '../mail/mail-queue.ts';
import { unmaskingMail } from '../mail/unmasking-mail.ts';
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import type { CaseRow } from '../storage/queries/cases.ts';
import { findUnmasking } from '../storage/queries/unmaskings.ts';
import { requireCase } from './moderation.ts';
import type { Route } from './route.ts';

interface Parts {
  db: Database;
  commits: CommitQueue;
  personaKey: KeyObject;
  roles: Roles;
  unmasking: Unmasking;
  checkIdentity: CheckIdentity;
  /** Without the limit of mails per mailbox, which another operator could use up before. */
  enqueueMail: EnqueueMail;
  notifyModerators(classId: string): Promise<void>;
  settings: { appName: string; origin: string };
}

const mailRetentionMs = 24 * 60 * 60_000;

export function unmaskingRoutes(route: Route, parts: Parts): void {
  const { db, commits, personaKey, roles, checkIdentity, notifyModerators } = parts;

  async function requireRequest(account: Account, requestId: string) {
    await requireRight(db, roles, account, null, 'unmask');
    const request = await findUnmasking(db, requestId);
    if (!request) throw new AppError('NOT_FOUND');
    const { found, staffName } = await requireCase(parts, account, request.caseId, 'unmask');
    return { request, found, operator: { accountId: account.id, staffName } };
  }

  /** @throws {AppError} WRONG_PASSWORD, which is audited, SIGN_IN_AGAIN and TOO_MANY */
  async function checkPassword(
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
        await commits.write((unitOfWork) =>
          appendAudit(unitOfWork, { ...entry, staffName, reason: '' }),
        );
      }
      throw error;
    }
  }

  async function mailOperators(): Promise<void> {
    const { appName, origin } = parts.settings;
    for (const { email } of await roles.operators(db)) {
      await parts.enqueueMail(unmaskingMail(email, appName, origin), Date.now() + mailRetentionMs);
    }
  }

  route('listUnmaskings', 'signedIn', async ({ account }) => {
    await requireRight(db, roles, account, null, 'unmask');
    return { requests: await listWaitingUnmaskings(db, personaKey, account.id) };
  });

  route('readUnmasking', 'signedIn', async ({ account, params: { caseId } }) => {
    const { found } = await requireCase(parts, account, caseId, 'unmask');
    return readUnmasking(db, parts, found, account.id);
  });

  route('requestUnmasking', 'signedIn', async ({ account, params: { caseId }, body, request }) => {
    const { found, staffName } = await requireCase(parts, account, caseId, 'unmask');
    await checkCanUnmask(db, parts, found);
    const reason = checkedGround(body.reason);
    await checkPassword(account, body.password, request.headers, found, staffName);
    const operator = { accountId: account.id, staffName };
    await commits.write((unitOfWork) =>
      requestUnmasking(unitOfWork, parts, found, operator, reason),
    );
    await mailOperators();
    await notifyModerators(found.classId);
    return readUnmasking(db, parts, found, account.id);
  });

  route('confirmUnmasking', 'signedIn', async (incoming) => {
    const { account, params, body } = incoming;
    const { requestId } = params;
    const { request, found, operator } = await requireRequest(account, requestId);
    const operatorIds = await roles.operatorIds(db);
    const check = (reader: Database) =>
      checkCanConfirm(reader, parts, request, found, operator, operatorIds);
    await check(db);
    await checkPassword(
      account,
      body.password,
      incoming.request.headers,
      found,
      operator.staffName,
    );
    const address = await findAddress(db, personaKey, found);
    await commits.write(async (unitOfWork) => {
      // Another operator may have been first.
      await check(unitOfWork.db);
      await closeConfirmed(unitOfWork, request, found, operator, address !== null);
    });
    await notifyModerators(found.classId);
    if (address === null) throw new AppError('UNMASKING_IMPOSSIBLE');
    return { address };
  });

  route('withdrawUnmasking', 'signedIn', async ({ account, params: { requestId } }) => {
    const { request, found, operator } = await requireRequest(account, requestId);
    await commits.write((unitOfWork) => withdrawUnmasking(unitOfWork, request, found, operator));
    await notifyModerators(found.classId);
    return readUnmasking(db, parts, found, account.id);
  });
}
