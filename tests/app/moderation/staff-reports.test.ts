// Reports about those who moderate: others see and decide them.
import { expect, test } from 'vitest';
import { grantRole, listCases, report } from '#tests/support/moderation.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { grantStaff } from '#tests/support/staff.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';

const app = setUpApp();
const listChanges = ({ frames }: TestSocket) =>
  frames.filter(({ type }) => type === 'moderationChanged');

/** A class with two moderators, of whom the first one has written, and a student who reports that message. */
async function setScene() {
  const operator = await app.createStudent();
  const concerned = await app.createStudent();
  const colleague = await app.createStudent();
  const student = await app.createStudent();
  const classId = await student.createClass();
  await grantRole(app, operator, null, 'Olga');
  await concerned.join(classId);
  await colleague.join(classId);
  await grantRole(app, concerned, classId, 'Kim');
  await grantRole(app, colleague, classId, 'Lee');
  const { id: messageId } = await concerned.post(classId, 'Said by the moderator');
  return { operator, concerned, colleague, student, classId, messageId };
}

const canSee = async (viewer: TestClient, classId: string, caseId: string) => {
  const cases = await listCases(viewer, { classId });
  const isListed = cases.some((listedCase) => listedCase.caseId === caseId);
  const byAddress = await viewer.call('listCases', { query: { caseId } }).then(
    () => true,
    () => false,
  );
  expect(byAddress).toBe(isListed);
  return isListed;
};

test('A reported moderator gets the frame that all moderators get, and nothing of the case, which others decide [MOD-96]', async () => {
  const { operator, concerned, colleague, student, classId, messageId } = await setScene();
  // A role that its account has read causes no frame later.
  for (const moderator of [concerned, colleague]) await moderator.call('me', {});
  const socket = await concerned.connect();
  const colleagueSocket = await colleague.connect();

  await report(student, classId, { messageId, reason: 'harassment', text: 'He wrote to me' });

  await colleagueSocket.waitFor('moderationChanged');
  // A frame that was sent with that of the colleague comes before the snapshot.
  await socket.subscribe(classId);
  expect(listChanges(socket)).toEqual([{ type: 'moderationChanged' }]);
  const [openCase] = await listCases(colleague, { classId });
  const { caseId, version, persona } = openCase!;
  expect(await canSee(concerned, classId, caseId)).toBe(false);
  expect(await canSee(operator, classId, caseId)).toBe(true);
  const body = { version, decision: 'keep', reason: 'As the rules say' } as const;
  const params = { caseId };
  const ofPersona = { classId, memberId: persona.memberId };
  for (const call of [
    () => concerned.call('readCaseContext', { params }),
    () => concerned.call('decideCase', { params, body }),
    () => concerned.call('undoDecision', { params }),
    () => concerned.call('readModeratedMember', { params: ofPersona }),
  ]) {
    await expect(call()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }

  await colleague.call('decideCase', { params: { caseId }, body });

  await expect.poll(() => listChanges(colleagueSocket).length).toBe(2);
  await socket.subscribe(classId);
  expect(listChanges(socket)).toHaveLength(2);
  expect(await listCases(concerned, { classId, state: 'decided' })).toEqual([]);
  for (const open of [socket, colleagueSocket]) open.close();
});

test('staff see nothing of a report about what they said as staff [MOD-96]', async () => {
  const { concerned, colleague, student, classId } = await setScene();
  await grantStaff(app, concerned, classId, 'Prof. Kim');
  const socket = await concerned.connectTo(classId);
  const id = crypto.randomUUID();
  await socket.request({ type: 'post', classId, id, text: 'As staff', staff: true });

  await report(student, classId, { messageId: id });

  const [openCase] = await listCases(colleague, { classId });
  expect(openCase).toMatchObject({ messageId: id });
  expect(await canSee(concerned, classId, openCase!.caseId)).toBe(false);
  socket.close();
});

test('a report for the operators takes the case from the moderators of the class [MOD-97]', async () => {
  const { operator, colleague, student, classId, messageId } = await setScene();
  const other = await app.createStudent();
  await other.join(classId);
  await report(student, classId, { messageId });
  const [openCase] = await listCases(colleague, { classId });
  const { caseId } = openCase!;
  // A role that its account has read causes no frame later.
  for (const moderator of [operator, colleague]) await moderator.call('me', {});
  const socket = await colleague.connect();
  const operatorSocket = await operator.connect();

  await report(other, classId, { messageId, operatorsOnly: true });

  await operatorSocket.waitFor('moderationChanged');
  // A frame that was sent with that of the operator comes before the snapshot.
  await socket.subscribe(classId);
  expect(listChanges(socket)).toEqual([]);
  expect(await canSee(colleague, classId, caseId)).toBe(false);
  expect(await canSee(operator, classId, caseId)).toBe(true);
  expect(await listCases(operator, { classId })).toMatchObject([
    { caseId, forOperators: true, reportCount: 2 },
  ]);
  for (const open of [socket, operatorSocket]) open.close();
});

test('who reported a member does not remove the member alone [MOD-98]', async () => {
  const { colleague, operator, student, classId } = await setScene();
  const { id: messageId } = await student.post(classId, 'Said by the student');
  await report(colleague, classId, { messageId });
  const [openCase] = await listCases(colleague, { classId });
  const { caseId, version } = openCase!;
  const remove = {
    version,
    decision: 'keep',
    reason: 'Spam',
    sanction: { kind: 'remove' },
  } as const;

  const ownDecision = colleague.call('decideCase', { params: { caseId }, body: remove });
  await expect(ownDecision).rejects.toMatchObject({ code: 'OWN_CASE' });

  const { case: decidedCase } = await operator.call('decideCase', {
    params: { caseId },
    body: remove,
  });
  expect(decidedCase.sanction).toEqual({ kind: 'removed', hours: null });
});
