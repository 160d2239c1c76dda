// Reports, the queue, decisions and sanctions, as members and moderators see them.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { sanctionSchema } from '#contract/entities.ts';
import { grantRole, applyDecisions, decide, listCases, report } from '#tests/support/moderation.ts';
import { createJpeg, upload } from '#tests/support/pictures.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

const app = setUpApp({ HELP_LINE: 'Counselling: 555 0100' });
/** The moderator of all classes, who is in none of them. */
let operator: TestClient;
beforeAll(async () => {
  operator = await app.createStudent();
  await grantRole(app, operator, null, 'Sam (student services)');
});

/** Creates an author with a message, and members who may report it. */
async function setScene(members = 3) {
  const author = await app.createStudent();
  const classId = await author.createClass();
  const otherMembers: TestClient[] = [];
  for (let n = 0; n < members; n++) {
    const member = await app.createStudent();
    await member.join(classId);
    otherMembers.push(member);
  }
  const { id } = await author.post(classId, 'a bad word');
  const { me } = await author.snapshot(classId);
  return {
    author,
    others: otherMembers,
    member: otherMembers[0]!,
    classId,
    messageId: id,
    memberId: me.memberId,
  };
}

const listMessages = async (student: TestClient, classId: string) =>
  (await student.snapshot(classId)).messages;

describe('a report', () => {
  test('a report of a message appears in the queue, without its reporter [MOD-5, MOD-12]', async () => {
    const { member, classId, messageId, memberId } = await setScene();
    const text = 'He means me.';

    const reply = await report(member, classId, { messageId, reason: 'harassment', text });

    expect(reply).toEqual({ reported: true, helpLine: null });

    const [openCase] = await listCases(operator, { classId });
    expect(openCase).toMatchObject({
      classId,
      messageId,
      shown: 'visible',
      state: 'open',
      decision: null,
      version: 1,
      label: 'CS 146',
      persona: { memberId },
      evidence: { text: 'a bad word', images: [], edits: [] },
      reports: [{ reason: 'harassment', text }],
    });
  });

  test('a moderator can open a case by its id wherever it is in the queue [MOD-51]', async () => {
    const { member, author, classId, messageId } = await setScene();
    await report(member, classId, { messageId });
    const [openCase] = await listCases(operator, { classId });
    const { caseId } = openCase!;

    expect(await listCases(operator, { caseId, state: 'decided' })).toEqual([openCase]);
    await expect(listCases(author, { caseId })).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
    await expect(listCases(operator, { caseId: 'AAAAAAAAAAAAAAAA' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('a report of a member without a message has no evidence [MOD-5]', async () => {
    const { member, classId, memberId } = await setScene();

    await report(member, classId, { memberId });

    const [openCase] = await listCases(operator, { classId });
    expect(openCase).toMatchObject({ messageId: null, evidence: null, persona: { memberId } });

    const context = await operator.call('readCaseContext', {
      params: { caseId: openCase!.caseId },
    });
    expect(context.messages).toMatchObject([{ text: 'a bad word' }]);
  });

  test('a report counts once for each member and message [MOD-5]', async () => {
    const { member, classId, messageId } = await setScene();
    await report(member, classId, { messageId });

    expect(await report(member, classId, { messageId, reason: 'other' })).toMatchObject({
      reported: true,
    });

    const [openCase] = await listCases(operator, { classId });
    expect(openCase?.reports).toHaveLength(1);
  });

  test('the server rejects an invalid report [MOD-5]', async () => {
    const { author, member, classId, messageId, memberId } = await setScene();
    const stranger = await app.createStudent();
    const expectRejection = (
      reporter: TestClient,
      body: Parameters<typeof report>[2],
      code: string,
    ) => expect(report(reporter, classId, body)).rejects.toMatchObject({ code });

    await expectRejection(author, { messageId }, 'OWN_REPORT');
    await expectRejection(author, { memberId }, 'OWN_REPORT');
    await expectRejection(member, { messageId: randomUUID() }, 'NOT_FOUND');
    await expectRejection(member, { memberId: 'AAAAAAAAAAAAAAAA' }, 'NOT_FOUND');
    await expectRejection(member, {}, 'INVALID');
    await expectRejection(member, { messageId, memberId }, 'INVALID');
    await expectRejection(member, { messageId, text: '😀'.repeat(501) }, 'REPORT_TOO_LONG');
    await expectRejection(stranger, { messageId }, 'NOT_FOUND');

    await report(member, classId, { messageId, text: '😀'.repeat(500) });
  });

  test('a report of a threat mails operators a link without content [MOD-8]', async () => {
    const { member, classId, messageId } = await setScene();

    const reply = await report(member, classId, { messageId, reason: 'threat', text: 'secret' });

    expect(reply.helpLine).toBe('Counselling: 555 0100');

    const mail = await app.waitForNextMailTo(operator);
    expect(mail).toContain('/moderation');
    for (const content of ['a bad word', 'secret', classId, messageId, member.email, 'CS 146']) {
      expect(mail).not.toContain(content);
    }
  });

  test('the reporter sees the outcome of a report [MOD-13]', async () => {
    const { member, classId, messageId } = await setScene();
    await report(member, classId, { messageId });
    const listOwnReports = async () =>
      (await member.call('listOwnReports', { params: { classId } })).reports.map(
        ({ state }) => state,
      );

    expect(await listOwnReports()).toEqual(['open']);

    await decide(operator, messageId, { decision: 'remove' });
    expect(await listOwnReports()).toEqual(['open']);

    await applyDecisions(app);
    expect(await listOwnReports()).toEqual(['removed']);
  });
});

describe('evidence', () => {
  test('evidence stays after edits and after the deletion of the message [MOD-9]', async () => {
    const { author, member, classId, messageId } = await setScene();
    await report(member, classId, { messageId });
    const socket = await author.connect();

    await socket.request({ type: 'edit', classId, messageId, text: 'a kind word' });

    const [edited] = await listCases(operator, { classId });
    expect(edited).toMatchObject({ version: 2, evidence: { edits: [{ text: 'a kind word' }] } });

    await socket.request({ type: 'delete', classId, messageId });
    socket.close();
    const [deletedCase] = await listCases(operator, { classId });
    expect(deletedCase).toMatchObject({
      shown: 'deleted',
      evidence: { text: 'a bad word', edits: [{ text: 'a kind word' }] },
    });
  });

  test('evidence is erased from the files 30 days after the decision, with the reports [MOD-10]', async () => {
    const { author, member, classId } = await setScene();
    const { id } = await author.post(classId, 'marked evidence 5521');
    await report(member, classId, { messageId: id, text: 'marked report 5522' });
    await decide(operator, id, { decision: 'remove' });

    await applyDecisions(app);

    const decidedCases = await listCases(operator, { classId, state: 'decided' });
    expect(decidedCases[0]?.evidence).toMatchObject({ text: 'marked evidence 5521' });
    expect(decidedCases[0]?.reports).toMatchObject([{ text: 'marked report 5522' }]);

    const [row] = await app.database.query(
      `select evidence from cases where "messageId" = '${id}'`,
    );
    const sealed = String(row!['evidence']);
    expect(await app.database.content()).toContain(sealed.slice(0, 40));
    await expect
      .poll(() => app.database.content(), { timeout: 15_000 })
      .not.toContain('marked evidence 5521');

    const nearly = Date.now() - 30 * 86_400_000 + 60_000;
    await app.restart(() => app.database.query(`update cases set "effectiveAt" = ${nearly}`));

    expect((await listCases(operator, { classId, state: 'decided' }))[0]?.evidence).not.toBeNull();

    const dueAt = Date.now() - 30 * 86_400_000 - 60_000;
    await app.restart(() => app.database.query(`update cases set "effectiveAt" = ${dueAt}`));
    await expect
      .poll(async () => (await listCases(operator, { classId, state: 'decided' }))[0])
      .toMatchObject({ evidence: null, reports: [] });
    await expect
      .poll(() => app.database.content(), { timeout: 15_000 })
      .not.toContain(sealed.slice(0, 40));
    expect((await member.call('listOwnReports', { params: { classId } })).reports).toEqual([]);
  });

  test('only moderators see the pictures of evidence, until it is erased [MOD-9, MOD-10, MARKUP-32]', async () => {
    const { author, member, classId } = await setScene();
    const { imageId, imageUrl } = await upload(author, classId, await createJpeg());
    const socket = await author.connect();
    const id = randomUUID();
    await socket.request({
      type: 'post',
      classId,
      id,
      text: '',
      images: [{ imageId, spoiler: true }],
    });
    await report(member, classId, { messageId: id });
    const [openCase] = await listCases(operator, { classId });
    expect(openCase!.evidence!.images[0]).not.toHaveProperty('spoiler');
    const evidenceUrl = openCase!.evidence!.images[0]!.imageUrl;
    await socket.request({ type: 'delete', classId, messageId: id });
    socket.close();
    const getStatus = async (client: TestClient, url: string) => (await client.fetch(url)).status;

    expect(await getStatus(operator, evidenceUrl)).toBe(200);
    for (const person of [author, member]) {
      expect(await getStatus(person, evidenceUrl)).toBe(404);
      expect(await getStatus(person, imageUrl)).toBe(404);
    }
    expect(await getStatus(operator, imageUrl)).toBe(404);
    const wrongCase = evidenceUrl.replace(openCase!.caseId, 'AAAAAAAAAAAAAAAA');
    expect(await getStatus(operator, wrongCase)).toBe(404);

    await decide(operator, id, {});
    await applyDecisions(app);
    const dueAt = Date.now() - 31 * 86_400_000;
    await app.restart(() => app.database.query(`update cases set "effectiveAt" = ${dueAt}`));

    await expect.poll(() => getStatus(operator, evidenceUrl)).toBe(404);
    await expect
      .poll(() => app.database.query(`select status from images where "imageId" = '${imageId}'`))
      .not.toEqual([{ status: 'evidence' }]);
  });
});

describe('three reports by different members', () => {
  test('three reports by different members hide a message until a decision to keep it [MOD-11, MOD-17]', async () => {
    const { author, others, classId, messageId } = await setScene();
    const socket = await author.connectTo(classId);
    const replyId = randomUUID();
    await others[0]!.post(classId, 'first');
    const replier = await others[0]!.connect();
    await replier.request({ type: 'post', classId, id: replyId, text: 'no', replyTo: messageId });

    for (const member of others) {
      expect((await listMessages(author, classId))[0]).toMatchObject({ moderation: null });
      await report(member, classId, { messageId });
    }

    await socket.waitFor('events', ({ items }) =>
      items.some((item) => item.kind === 'moderated' && item.moderation === 'hidden'),
    );
    const hiddenMessages = await listMessages(author, classId);
    expect(hiddenMessages[0]).toMatchObject({ moderation: 'hidden', text: 'a bad word' });
    expect(hiddenMessages.at(-1)).toMatchObject({ id: replyId, quote: { hidden: true } });

    await decide(operator, messageId, { decision: 'keep' });
    await applyDecisions(app);
    const keptMessages = await listMessages(author, classId);
    expect(keptMessages[0]).toMatchObject({ moderation: null, text: 'a bad word' });
    expect(keptMessages.at(-1)?.quote).not.toHaveProperty('hidden');

    replier.close();
  });

  test('a returning browser learns of a hidden message from the log [MOD-17]', async () => {
    const { author, others, classId, messageId } = await setScene();
    const roomBefore = await author.snapshot(classId);
    for (const member of others) await report(member, classId, { messageId });
    const socket = await author.connect();
    const { seq, lastId, epoch } = roomBefore;
    socket.send({ type: 'subscribe', rid: 1, classId, epoch, after: seq, afterId: lastId! });

    const { items } = await socket.waitFor('events');

    expect(items).toMatchObject([{ kind: 'moderated', messageId, moderation: 'hidden' }]);

    socket.close();
  });
});

describe('a decision', () => {
  test('a decision takes effect after ten seconds and can be undone before [MOD-15]', async () => {
    const { author, member, classId, messageId } = await setScene();
    await report(member, classId, { messageId });
    const operatorSocket = await operator.connect();
    const socket = await author.connectTo(classId);

    const firstDecision = await decide(operator, messageId, { decision: 'remove' });

    expect(firstDecision.effectiveAt! - Date.now()).toBeGreaterThan(5_000);
    expect(firstDecision).toMatchObject({ state: 'decided', decidedBy: 'Sam (student services)' });

    await operatorSocket.waitFor('moderationChanged');
    const params = { caseId: firstDecision.caseId };
    const undone = await operator.call('undoDecision', { params });
    expect(undone.case).toMatchObject({ state: 'open', decision: null, effectiveAt: null });

    const sanction = { kind: 'mute', hours: 1 } as const;
    const secondDecision = await decide(operator, messageId, { decision: 'remove', sanction });
    expect((await listMessages(author, classId))[0]).toMatchObject({ text: 'a bad word' });
    await expect
      .poll(() => socket.frames.filter(({ type }) => type === 'sanction').length, {
        timeout: 20_000,
      })
      .toBe(1);
    expect(Date.now()).toBeGreaterThanOrEqual(secondDecision.effectiveAt!);

    const frame = await socket.waitFor('sanction');
    expect(frame).toMatchObject({
      classId,
      sanction: { kind: 'mute', reason: 'As the rules say' },
    });
    const item = { kind: 'moderated', messageId, moderation: 'removed' };
    expect(
      (await socket.waitFor('events', ({ items }) => items[0]?.kind === 'moderated')).items,
    ).toMatchObject([item]);
    await expect(operator.call('undoDecision', { params })).rejects.toMatchObject({
      code: 'DECISION_APPLIED',
    });

    const [message] = await listMessages(member, classId);
    expect(message).toMatchObject({ moderation: 'removed', text: '', images: [], reactions: {} });

    const list = await author.call('listMessages', { params: { classId }, query: {} });
    expect(list.messages).toMatchObject([{ id: messageId, text: '', moderation: 'removed' }]);

    operatorSocket.close();
    socket.close();
  }, 40_000);

  test('a decision about an edited or missing message or without a reason is rejected [MOD-14]', async () => {
    const { author, member, classId, messageId, memberId } = await setScene();
    await report(member, classId, { messageId });
    await report(member, classId, { memberId });
    const [seenCase] = (await listCases(operator, { classId })).filter(
      (candidate) => candidate.messageId,
    );
    const socket = await author.connect();
    await socket.request({ type: 'edit', classId, messageId, text: 'changed' });
    socket.close();
    const params = { caseId: seenCase!.caseId };
    const body = { version: seenCase!.version, decision: 'keep', reason: 'Fine' } as const;
    const expectRejection = (promise: Promise<unknown>, code: string) =>
      expect(promise).rejects.toMatchObject({ code });
    await expectRejection(operator.call('decideCase', { params, body }), 'CASE_CHANGED');
    await expectRejection(decide(operator, messageId, { reason: ' ' }), 'REASON_MISSING');
    await expectRejection(
      decide(operator, messageId, { reason: 'x'.repeat(501) }),
      'REASON_TOO_LONG',
    );
    await expectRejection(decide(operator, memberId, { decision: 'remove' }), 'INVALID');
  });

  test('a decision erases a removed message from the search, the mentions and the files [MOD-18]', async () => {
    const { author, member, others, classId } = await setScene();
    const { me } = await others[1]!.snapshot(classId);
    await others[1]!.post(classId, 'here');
    const { id } = await author.post(classId, `<@${me.memberId}> unspeakable 7731`);
    await report(member, classId, { messageId: id });
    await decide(operator, id, { decision: 'remove' });
    await applyDecisions(app);

    const reply = await member.call('searchMessages', {
      params: { classId },
      query: { query: 'unspeakable' },
    });

    expect(reply.hits).toEqual([]);
    expect(
      await app.database.query(`select * from mentions where "classId" = '${classId}'`),
    ).toEqual([]);
    await expect
      .poll(() => app.database.content(), { timeout: 15_000 })
      .not.toContain('unspeakable 7731');
  });
});

test('moderators see the history of a persona, and can lift a sanction [MOD-24]', async () => {
  const { author, member, classId, messageId, memberId } = await setScene();
  await report(member, classId, { messageId });
  await decide(operator, messageId, { sanction: { kind: 'mute', hours: 24 } });
  const params = { classId, memberId };
  const caseCounts = { open: 0, kept: 1, removed: 0 };
  // A decision that can still be undone counts, as in the queue.
  expect(await operator.call('readModeratedMember', { params })).toMatchObject({ caseCounts });
  await applyDecisions(app);

  const history = await operator.call('readModeratedMember', { params });

  expect(history).toMatchObject({
    persona: { memberId },
    sanctions: [{ kind: 'mute', active: true, staffName: 'Sam (student services)' }],
    caseCounts,
  });

  const socket = await author.connectTo(classId);
  const reply = await socket.post(classId, 'still here');
  expect(reply).toMatchObject({ type: 'nack', code: 'MUTED' });
  expect(sanctionSchema.parse('sanction' in reply && reply.sanction)).toMatchObject({
    reason: 'As the rules say',
  });

  const { sanctionId } = history.sanctions[0]!;
  const body = { reason: 'An apology' };
  await operator.call('liftSanction', { params: { ...params, sanctionId }, body });
  expect(await socket.waitFor('sanction')).toEqual({ type: 'sanction', classId, sanction: null });
  expect(await socket.post(classId, 'thank you')).toMatchObject({ type: 'ack' });
  await expect(
    operator.call('liftSanction', { params: { ...params, sanctionId }, body }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });

  socket.close();
});
