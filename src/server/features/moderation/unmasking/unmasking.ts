// Sealed unmasking: two operators together find the account behind a persona. Nothing about the account is stored.
import { createHmac } from 'node:crypto';
import { toClassLabel } from '#contract/class-label.ts';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import type { CaseUnmasking, UnmaskingRequest } from '#contract/unmasking.ts';
import { isPlainText } from '#contract/text.ts';
import { toDay } from '#server/base/days.ts';
import { createRandomId } from '#server/base/random-id.ts';
import type { Server } from '#server/feature.ts';
import type { Reader, Site } from '#server/store/site.ts';
import type { Database } from '#server/store/tables.ts';
import type { CaseRow } from '#server/chat/messages/evidence-queries.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { listMembers } from '#server/chat/members/memberships.ts';
import { findMessage } from '#server/chat/messages/messages-queries.ts';
import {
  closeUnmasking,
  findFirstMessageTime,
  findUnmasking,
  insertUnmasking,
  listOpenUnmaskings,
  listCaseUnmaskings,
  type UnmaskingRow,
} from './unmaskings-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { hasPersona } from '#server/chat/members/member.ts';
import { listOperatorIds } from '#server/chat/staff/roles.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import { toPublicSetting, type Unmasking } from './unmasking-setting.ts';

const requestMs = 24 * 60 * 60_000; // UNMASK-5
const minuteMs = 60_000;

/** An operator, with the account and the name in the audit log. */
export interface Operator {
  accountId: string;
  staffName: string;
}

type Rejection = NonNullable<CaseUnmasking['refusal']>;
const rejectionCodes = {
  off: 'UNMASKING_OFF',
  'too-old': 'UNMASKING_TOO_OLD',
  ended: 'UNMASKING_IMPOSSIBLE',
} as const satisfies Record<Rejection, ErrorCode>;

/**
 * Finds why the persona cannot be unmasked. The oldest message of the persona counts, not only the reported one, because anyone
 * who learns the author of one message learns the author of all messages of the persona in the class.
 *
 * @throws {AppError} NOT_FOUND if the class is deleted
 */
async function findRejection(
  db: Database,
  { onSince }: Unmasking,
  { classId, memberId, messageId }: CaseRow,
): Promise<Rejection | null> {
  const foundClass = await findClass(db, classId);
  if (!foundClass) throw new AppError('NOT_FOUND');
  if (onSince === null) return 'off';
  if (foundClass.status !== 'active') return 'ended';
  const message = messageId === null ? null : await findMessage(db, classId, messageId);
  const firstMessageTime = await findFirstMessageTime(db, classId, memberId);
  const times = [message?.createdAt ?? null, firstMessageTime].filter((time) => time !== null);
  // A persona without messages may have a name or reactions, which have no time. They are certainly new only in a new class.
  if (times.length === 0) {
    return foundClass.createdDay > toDay(new Date(onSince)) ? null : 'too-old';
  }
  return times.every((time) => time >= onSince) ? null : 'too-old';
}

function toState({ status, requestedAt }: UnmaskingRow): UnmaskingRequest['state'] {
  return status === 'open' && requestedAt + requestMs <= Date.now() ? 'expired' : status;
}

/** Derives an id that differs for each request, so that no one can see that two requests are of the same operator. */
function deriveRequester({ keys }: Site, requestId: string, accountId: string): string {
  const hmac = createHmac('sha256', deriveModerationKeys(keys.personas).operators);
  return hmac.update(`${requestId}\u0000${accountId}`).digest('base64url').slice(0, 22);
}

async function toRequest(
  { db, site }: Reader,
  row: UnmaskingRow,
  accountId: string,
): Promise<UnmaskingRequest> {
  const { requestId, caseId, classId, reason, requestedBy, closedBy, requestedAt } = row;
  const foundClass = await findClass(db, classId);
  return {
    requestId,
    caseId,
    reason,
    requestedBy,
    closedBy,
    requestedAt,
    label: foundClass ? toClassLabel(foundClass) : '',
    state: toState(row),
    own: row.requester === deriveRequester(site, requestId, accountId),
    expiresAt: requestedAt + requestMs,
  };
}

/** The server, and since when it unmasks. */
export type UnmaskingServer = Pick<Server, 'db' | 'site' | 'config' | 'checkIdentity'> & {
  unmasking: Unmasking;
};

/** @throws {AppError} NOT_FOUND if the class is deleted */
export async function getUnmasking(
  server: UnmaskingServer,
  foundCase: CaseRow,
  accountId: string,
): Promise<CaseUnmasking> {
  const { db, unmasking } = server;
  const rejection = await findRejection(db, unmasking, foundCase);
  const rows = await listCaseUnmaskings(db, foundCase.caseId);
  const requests = await Promise.all(rows.map((row) => toRequest(server, row, accountId)));
  return { unmasking: toPublicSetting(unmasking), refusal: rejection, requests };
}

export async function listWaitingUnmaskings(
  reader: Reader,
  accountId: string,
): Promise<UnmaskingRequest[]> {
  const rows = await listOpenUnmaskings(reader.db, Date.now() - requestMs);
  return Promise.all(rows.map((row) => toRequest(reader, row, accountId)));
}

/** @throws {AppError} UNMASKING_OFF, UNMASKING_TOO_OLD, UNMASKING_IMPOSSIBLE, NOT_FOUND */
export async function checkCanUnmask(
  db: Database,
  unmasking: Unmasking,
  foundCase: CaseRow,
): Promise<void> {
  const rejection = await findRejection(db, unmasking, foundCase);
  if (rejection) throw new AppError(rejectionCodes[rejection]);
}

/** @throws {AppError} UNMASKING_REASON, INVALID */
export function parseGround(typedReason: string): string {
  const reason = typedReason.trim();
  const length = Array.from(reason).length;
  if (length < limits.unmaskingReasonMin || length > limits.decisionReason) {
    throw new AppError('UNMASKING_REASON');
  }
  if (!isPlainText(reason)) {
    throw new AppError('REASON_CHARACTERS');
  }
  return reason;
}

/** @throws {AppError} UNMASKING_PENDING, and the errors of `checkCanUnmask` */
export async function requestUnmasking(
  unitOfWork: UnitOfWork,
  unmasking: Unmasking,
  { caseId, ...foundCase }: CaseRow,
  { accountId, staffName }: Operator,
  reason: string,
): Promise<void> {
  const { db, site } = unitOfWork;
  await checkCanUnmask(db, unmasking, { caseId, ...foundCase });
  const earlierRequests = await listCaseUnmaskings(db, caseId);
  if (earlierRequests.some((other) => toState(other) === 'open')) {
    throw new AppError('UNMASKING_PENDING');
  }
  const { classId, memberId } = foundCase;
  const requestId = createRandomId();
  await insertUnmasking(db, {
    requestId,
    caseId,
    classId,
    reason,
    requestedBy: staffName,
    requester: deriveRequester(site, requestId, accountId),
    requestedAt: Math.floor(Date.now() / minuteMs) * minuteMs,
    status: 'open',
    closedBy: null,
  });
  await appendAudit(unitOfWork, {
    act: 'unmask-request',
    classId,
    memberId,
    caseId,
    staffName,
    reason,
  });
}

/**
 * The request of a former operator is void.
 *
 * @throws {AppError} UNMASKING_CLOSED, UNMASKING_OWN, and the errors of `checkCanUnmask` except UNMASKING_IMPOSSIBLE
 */
export async function checkCanConfirm(
  reader: Reader,
  unmasking: Unmasking,
  { requestId }: Pick<UnmaskingRow, 'requestId'>,
  foundCase: CaseRow,
  { accountId }: Operator,
): Promise<void> {
  const { db, site } = reader;
  const row = await findUnmasking(db, requestId);
  if (!row || toState(row) !== 'open') throw new AppError('UNMASKING_CLOSED');
  const isRequester = (id: string) => deriveRequester(site, requestId, id) === row.requester;
  if (isRequester(accountId)) throw new AppError('UNMASKING_OWN');
  if (!(await listOperatorIds(reader)).some(isRequester)) throw new AppError('UNMASKING_CLOSED');
  const rejection = await findRejection(db, unmasking, foundCase);
  if (rejection && rejection !== 'ended') throw new AppError(rejectionCodes[rejection]);
}

/**
 * Finds the address behind a persona. It compares every member of the class, also after a match, so that the time tells nothing.
 *
 * @returns null if no account of the class has this persona, or if the class has ended, even if it can be reopened
 */
export async function findAddress(
  reader: Reader,
  { classId, memberId }: Pick<CaseRow, 'classId' | 'memberId'>,
): Promise<string | null> {
  const { db, site } = reader;
  const foundClass = await findClass(db, classId);
  const salt = foundClass?.status === 'active' ? foundClass.salt : undefined;
  const members = await listMembers(reader, classId);
  let address: string | null = null;
  for (const { id, email } of await site.accountRecords.listById(db, [...members.keys()])) {
    if (salt !== undefined && hasPersona(site.keys, salt, id, memberId)) address = email;
  }
  return address;
}

/**
 * Closes the request before the address leaves the server, so that no address is shown without its audit entry and the public
 * count.
 */
export async function closeConfirmed(
  unitOfWork: UnitOfWork,
  { requestId, reason }: UnmaskingRow,
  { caseId, classId, memberId }: CaseRow,
  { staffName }: Operator,
  wasFound: boolean,
): Promise<void> {
  const status = wasFound ? 'used' : 'impossible';
  await closeUnmasking(unitOfWork.db, requestId, { status, closedBy: staffName });
  const act = wasFound ? 'unmask-confirm' : 'unmask-impossible';
  await appendAudit(unitOfWork, { act, classId, memberId, caseId, staffName, reason });
}

/** Any operator can withdraw a request. @throws {AppError} UNMASKING_CLOSED */
export async function withdrawUnmasking(
  unitOfWork: UnitOfWork,
  { requestId }: Pick<UnmaskingRow, 'requestId'>,
  { caseId, classId, memberId }: CaseRow,
  { staffName }: Operator,
): Promise<void> {
  const { db } = unitOfWork;
  const row = await findUnmasking(db, requestId);
  if (!row || toState(row) !== 'open') throw new AppError('UNMASKING_CLOSED');
  await closeUnmasking(db, requestId, { status: 'withdrawn', closedBy: staffName });
  const { reason } = row;
  await appendAudit(unitOfWork, {
    act: 'unmask-withdraw',
    classId,
    memberId,
    caseId,
    staffName,
    reason,
  });
}
