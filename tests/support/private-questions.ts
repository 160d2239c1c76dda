// Members who ask staff alone, and staff who answer.
import { randomUUID } from 'node:crypto';
import type { TestClient } from './test-client.ts';

/** No message has such an id. */
export function createPrivateId(): string {
  const id = randomUUID();
  return `${id.slice(0, 14)}8${id.slice(15)}`;
}

export async function askPrivately(
  asker: TestClient,
  classId: string,
  text = 'May I hand in late?',
  questionId: string = createPrivateId(),
): Promise<string> {
  await asker.call('askPrivately', { params: { classId, questionId }, body: { text } });
  return questionId;
}

/** @returns the id of the turn */
export async function addTurn(
  client: TestClient,
  {
    classId,
    questionId,
    turnId = createPrivateId(),
  }: { classId: string; questionId: string; turnId?: string },
  text: string,
  { asStaff = false } = {},
): Promise<string> {
  const params = { classId, questionId, turnId };
  await client.call('addPrivateTurn', { params, body: { text, asStaff } });
  return turnId;
}

export const listForStaff = async (staff: TestClient, classId: string) =>
  (await staff.call('listPrivateQuestions', { params: { classId } })).privateQuestions;

export const listOwn = async (asker: TestClient, classId: string) =>
  (await asker.call('listOwnPrivate', { params: { classId } })).ownPrivate;

export const setState = (
  staff: TestClient,
  classId: string,
  questionId: string,
  state: 'open' | 'asked' | 'done',
) => staff.call('setPrivateState', { params: { classId, questionId }, body: { state } });

export const decide = (asker: TestClient, classId: string, questionId: string, agreed: boolean) =>
  asker.call('decidePublication', { params: { classId, questionId }, body: { agreed } });

export const withdraw = (asker: TestClient, classId: string, questionId: string) =>
  asker.call('withdrawPrivate', { params: { classId, questionId } });
