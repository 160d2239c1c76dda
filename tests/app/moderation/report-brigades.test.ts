// Members who use reports as a weapon, and authors who edit around them.
import { expect, test } from 'vitest';
import { applyDecisions, decide, grantRole, listCases, report } from '#tests/support/moderation.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

const app = setUpApp({ LIMITS: 'reports=1000/1d' });

async function setScene(members: number) {
  const author = await app.createStudent();
  const classId = await author.createClass();
  const otherMembers: TestClient[] = [];
  for (let n = 0; n < members; n++) {
    const member = await app.createStudent();
    await member.join(classId);
    otherMembers.push(member);
  }
  const moderator = await app.createStudent();
  await grantRole(app, moderator, classId, 'Kim');
  const { id } = await author.post(classId, 'first version');
  return { author, others: otherMembers, moderator, classId, messageId: id };
}

async function edit(author: TestClient, classId: string, messageId: string, text: string) {
  const socket = await author.connect();
  expect(await socket.request({ type: 'edit', classId, messageId, text })).toMatchObject({
    type: 'ack',
  });
  socket.close();
}

async function findModeration(author: TestClient, classId: string, messageId: string) {
  const { messages } = await author.snapshot(classId);
  return messages.find(({ id }) => id === messageId)?.moderation;
}

test('a kept message is not hidden again until its author edits it [MOD-60]', async () => {
  const { author, others, moderator, classId, messageId } = await setScene(6);
  for (const member of others.slice(0, 3)) await report(member, classId, { messageId });

  expect(await findModeration(author, classId, messageId)).toBe('hidden');

  await decide(moderator, messageId, { decision: 'keep' });
  await applyDecisions(app);
  for (const member of others.slice(3)) await report(member, classId, { messageId });
  expect(await findModeration(author, classId, messageId)).toBeNull();
  expect(await listCases(moderator, { classId })).toMatchObject([{ messageId }]);

  await edit(author, classId, messageId, 'second version');
  const [firstMember] = others;
  await report(firstMember!, classId, { messageId });

  expect(await findModeration(author, classId, messageId)).toBe('hidden');
});

test('a member can report an edited message again after a decision [MOD-61]', async () => {
  const { author, others, moderator, classId, messageId } = await setScene(1);
  const [member] = others;
  const { me } = await author.snapshot(classId);
  const listOwnReports = async () =>
    (await member!.call('listOwnReports', { params: { classId } })).reports.map(
      ({ reason, state }) => [reason, state],
    );
  await report(member!, classId, { messageId, reason: 'spam' });
  await decide(moderator, messageId, {});
  await applyDecisions(app);

  await report(member!, classId, { messageId, reason: 'threat' });

  expect(await listOwnReports()).toEqual([['spam', 'kept']]);

  await edit(author, classId, messageId, 'much worse');
  await report(member!, classId, { messageId, reason: 'threat' });
  expect(await listOwnReports()).toEqual([['threat', 'open']]);
  expect(await listCases(moderator, { classId })).toMatchObject([
    { messageId, evidence: { text: 'much worse' }, reports: [{ reason: 'threat' }] },
  ]);

  await decide(moderator, messageId, { decision: 'remove' });

  await report(member!, classId, { memberId: me.memberId });
  await decide(moderator, me.memberId, {});
  await applyDecisions(app);
  await report(member!, classId, { memberId: me.memberId, reason: 'harassment' });

  expect(await listCases(moderator, { classId })).toMatchObject([
    { messageId: null, reports: [{ reason: 'harassment' }] },
  ]);
});

test('a report that comes while a decision can be undone belongs to its case [MOD-62]', async () => {
  const { author, others, moderator, classId, messageId } = await setScene(2);
  await report(others[0]!, classId, { messageId });
  const { caseId } = await decide(moderator, messageId, { decision: 'keep' });
  await edit(author, classId, messageId, 'while it could be undone');
  await report(others[1]!, classId, { messageId });

  await moderator.call('undoDecision', { params: { caseId } });

  expect(await listCases(moderator, { classId })).toMatchObject([
    {
      caseId,
      evidence: { text: 'first version', edits: [{ text: 'while it could be undone' }] },
      reports: [{}, {}],
    },
  ]);

  // The moderator kept the first version only.
  await decide(moderator, messageId, { decision: 'keep' });
  await edit(author, classId, messageId, 'third version');
  await applyDecisions(app);
  await report(others[0]!, classId, { messageId });
  expect(await listCases(moderator, { classId })).toMatchObject([{ messageId, reports: [{}] }]);
});

test('three friends cannot hide messages together [MOD-63]', async () => {
  const { author, others, moderator, classId } = await setScene(4);
  const friends = others.slice(0, 3);
  const countHidden = async () => {
    const { messages } = await author.snapshot(classId);
    return messages.filter(({ moderation }) => moderation === 'hidden').length;
  };
  const messageIds: string[] = [];
  for (let n = 0; n < 8; n++) messageIds.push((await author.post(classId, `number ${n}`)).id);
  for (const messageId of messageIds) {
    for (const friend of friends) await report(friend, classId, { messageId });
  }

  expect(await countHidden()).toBe(5);
  expect(await listCases(moderator, { classId })).toHaveLength(8);

  // The reports of a member count again when moderators agree with them.
  for (const messageId of messageIds.slice(0, 4)) {
    await decide(moderator, messageId, { decision: 'remove' });
  }
  await applyDecisions(app);
  const { id } = await author.post(classId, 'one more');
  for (const friend of friends) await report(friend, classId, { messageId: id });

  expect(await findModeration(author, classId, id)).toBe('hidden');
}, 180_000);
