// Steps that the tests of unmasking share.
import { vi } from 'vitest';
import type { CallReply } from '#contract/http.ts';
import type { UnmaskingRequest } from '#contract/unmasking.ts';
import { grantRole, listCases, report } from './moderation.ts';
import type { RunningApp } from './running-app.ts';
import type { TestClient } from './test-client.ts';

export const ground = 'Order 12/345 of the district court';
export const dayMs = 24 * 60 * 60_000;

export interface Stage {
  classId: string;
  caseId: string;
  /** The id of the reported message. */
  messageId: string;
  author: TestClient;
  member: TestClient;
}

/** Two operators, whose names in the audit log are Ann and Bob. */
export async function createTwoOperators(app: RunningApp): Promise<[TestClient, TestClient]> {
  const pair: [TestClient, TestClient] = [await app.createStudent(), await app.createStudent()];
  await grantRole(app, pair[0], null, 'Ann');
  await grantRole(app, pair[1], null, 'Bob');
  return pair;
}

/** Creates a case: a member reported the author, or a message of the author. */
export async function createReportedAuthor(
  app: RunningApp,
  operator: TestClient,
  subject: 'message' | 'member' = 'message',
): Promise<Stage> {
  const author = await app.createStudent();
  const member = await app.createStudent();
  const classId = await author.createClass();
  await member.join(classId);
  const { id } = await author.post(classId, 'I will find you');
  const { memberId } = (await author.snapshot(classId)).me;
  await report(member, classId, subject === 'message' ? { messageId: id } : { memberId });
  const [openCase] = await listCases(operator, { classId });
  return { classId, caseId: openCase?.caseId ?? '', messageId: id, author, member };
}

export function getUnmasking(
  operator: TestClient,
  caseId: string,
): Promise<CallReply<'readUnmasking'>> {
  return operator.call('readUnmasking', { params: { caseId } });
}

/** @returns the new request */
export async function requestUnmasking(
  operator: TestClient,
  caseId: string,
  { reason = ground, password = operator.password } = {},
): Promise<UnmaskingRequest> {
  const body = { reason, password };
  const reply = await operator.call('requestUnmasking', { params: { caseId }, body });
  const open = reply.requests.find(({ state }) => state === 'open');
  if (!open) throw new Error('The request is not open.');
  return open;
}

/** @returns the address */
export async function confirmUnmasking(
  operator: TestClient,
  { requestId }: Pick<UnmaskingRequest, 'requestId'>,
  password = operator.password,
): Promise<string> {
  const reply = await operator.call('confirmUnmasking', {
    params: { requestId },
    body: { password },
  });
  return reply.address;
}

/** Acts, names and reasons of the audit log from this number on, oldest first. */
export async function listAuditedSince(operator: TestClient, number: number) {
  const { entries } = await operator.call('listAuditLog', { query: {} });
  return entries.filter((entry) => entry.number >= number).toReversed();
}

export async function getNextAuditNumber(operator: TestClient): Promise<number> {
  const { entries } = await operator.call('listAuditLog', { query: {} });
  return (entries[0]?.number ?? 0) + 1;
}

/** Runs the steps as if this much time had passed. */
export async function runLater<Result>(ms: number, steps: () => Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    vi.setSystemTime(Date.now() + ms);
    return await steps();
  } finally {
    vi.useRealTimers();
  }
}
