// What the app tells a reporter and the person concerned after a decision.
import { beforeAll, expect, test } from 'vitest';
import { applyDecisions, decide, grantRole, listCases, report } from '#tests/support/moderation.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

const app = setUpApp();
let operator: TestClient;
let otherOperator: TestClient;

beforeAll(async () => {
  operator = await app.createStudent();
  otherOperator = await app.createStudent();
  await grantRole(app, operator, null, 'Sam');
  await grantRole(app, otherOperator, null, 'Kim');
});

const listDecisions = async (client: TestClient) =>
  (await client.call('listOwnDecisions', {})).decisions;
const listKinds = async (client: TestClient) =>
  (await listDecisions(client)).map(({ kind }) => kind);

/** A class with a message that two members reported. */
async function setScene() {
  const author = await app.createStudent();
  const ben = await app.createStudent();
  const cleo = await app.createStudent();
  const classId = await author.createClass({ subjectAbbreviation: 'dec', courseNumber: '1' });
  for (const member of [ben, cleo]) await member.join(classId);
  const { id } = await author.post(classId, 'bad words');
  for (const member of [ben, cleo]) await report(member, classId, { messageId: id });
  return { author, ben, cleo, classId, messageId: id };
}

test('reporters and the person concerned learn that there is a decision when it has taken effect [MOD-103]', async () => {
  const { author, ben, cleo, classId, messageId } = await setScene();
  const bystander = await app.createStudent();
  await bystander.join(classId);

  await decide(operator, messageId, { decision: 'remove', sanction: { kind: 'mute', hours: 24 } });
  expect(await listDecisions(ben)).toEqual([]);
  expect(await listDecisions(author)).toEqual([]);
  await applyDecisions(app);

  const [decision] = await listDecisions(ben);
  expect(decision).toEqual({
    decisionId: expect.any(String),
    classId,
    label: 'DEC 1',
    kind: 'report-removed',
    reason: null,
  });
  expect(await listDecisions(ben)).toEqual([decision]);
  expect(await listKinds(author)).toEqual(['sanctioned']);
  expect(await listDecisions(bystander)).toEqual([]);
  // Two reporters of a message cannot find each other by the id.
  expect(await listKinds(cleo)).toEqual(['report-removed']);
  expect((await listDecisions(cleo))[0]?.decisionId).not.toBe(decision?.decisionId);
});

test('a removed member learns of it, and of the decision on the appeal [MOD-103]', async () => {
  const { author, ben, messageId } = await setScene();
  await decide(operator, messageId, { decision: 'keep', sanction: { kind: 'remove' } });
  await applyDecisions(app);
  expect(await listKinds(ben)).toEqual(['report-acted']);
  expect(await listKinds(author)).toEqual(['sanctioned']);

  const { sanctions } = await author.call('listOwnSanctions', {});
  const { sanctionId } = sanctions[0]!;
  await author.call('appeal', { params: { sanctionId }, body: { text: 'It was a quote' } });
  expect(await listKinds(author)).toEqual(['sanctioned']);
  const appealed = (await listCases(otherOperator, { state: 'appeals' })).find(
    (listedCase) => listedCase.messageId === messageId,
  );
  const { reviewId, version } = appealed!.reviews[0]!;
  await otherOperator.call('decideReview', {
    params: { reviewId },
    body: { version, decision: 'lift', reason: 'It was a quote' },
  });
  expect(await listKinds(author)).toEqual(['sanctioned']);
  await applyDecisions(app);

  expect(await listKinds(author)).toEqual(['appeal-lifted']);
});

test('the author of a removed message reads the reason, and the reporters do not [MOD-110]', async () => {
  const { author, ben, messageId } = await setScene();

  await decide(operator, messageId, { decision: 'remove', reason: 'Insults are not allowed' });
  expect(await listDecisions(author)).toEqual([]);
  await applyDecisions(app);

  expect(await listDecisions(author)).toMatchObject([
    { kind: 'message-removed', reason: 'Insults are not allowed' },
  ]);
  expect(await listDecisions(ben)).toMatchObject([{ kind: 'report-removed', reason: null }]);
});

test('a reporter of a case that was escalated learns that a moderator acted [MOD-13]', async () => {
  const { ben, classId, messageId } = await setScene();

  await decide(operator, messageId, { decision: 'keep', escalate: true });
  await applyDecisions(app);

  expect(await listKinds(ben)).toEqual(['report-acted']);
  const { reports } = await ben.call('listOwnReports', { params: { classId } });
  expect(reports).toMatchObject([{ state: 'acted' }]);
});
