import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  ask,
  listQuestions,
  markAnswer,
  publishVotesSoon,
  replyTo,
  vote,
  waitForQuestion,
} from '#tests/support/questions.ts';
import { grantRoleByCommand } from '#tests/support/roles.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { grantStaff } from '#tests/support/staff.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';

publishVotesSoon();
const app = setUpApp();

const unanswered = { votes: 0, answer: null, endorsed: null };

async function createRoom() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const asker = await ada.connectTo(classId);
  const other = await ben.connectTo(classId);
  return { ada, ben, classId, asker, other };
}

describe('a question', () => {
  test('a message that is asked as a question is one for everyone, also after an edit [QUEST-1]', async () => {
    const { ben, classId, asker, other } = await createRoom();

    const questionId = await ask(asker, classId);
    await asker.post(classId, 'no question');
    const edit = { type: 'edit', classId, messageId: questionId, text: 'What is due today?' };
    expect(await asker.request(edit)).toMatchObject({ type: 'ack' });

    const { items } = await other.waitFor('events', (frame) => frame.items[0]?.kind === 'posted');
    expect(items).toMatchObject([{ message: { id: questionId, question: unanswered } }]);
    const { messages } = await ben.snapshot(classId);
    expect(messages).toMatchObject([
      { text: 'What is due today?', question: unanswered },
      { text: 'no question' },
    ]);
    expect(messages[1]).not.toHaveProperty('question');
  });

  test('a repeated post is the same question, and without the mark another message [QUEST-1]', async () => {
    const { classId, asker } = await createRoom();
    const frame = { type: 'post', classId, id: randomUUID(), text: 'Why?' };
    await asker.request({ ...frame, question: true });

    expect(await asker.request({ ...frame, question: true })).toMatchObject({ seq: 1 });
    expect(await asker.request(frame)).toMatchObject({ code: 'ID_CONFLICT' });
  });

  test('the questions of a class are listed newest first, with the own votes [QUEST-10]', async () => {
    const { ada, ben, classId, asker, other } = await createRoom();
    const first = await ask(asker, classId, 'The first?');
    await asker.post(classId, 'no question');
    const second = await ask(asker, classId, 'The second?');
    await vote(other, classId, first);

    const list = await listQuestions(ben, classId);

    expect(list).toMatchObject({
      questions: [{ id: second }, { id: first }],
      voted: '01',
      hasOlder: false,
    });
    expect(list.personas).toHaveLength(1);
    expect(await listQuestions(ada, classId)).toMatchObject({ voted: '00' });
  });

  test('the newest 200 questions are listed [QUEST-10]', async () => {
    const { ben, classId, asker } = await createRoom();
    await ask(asker, classId);
    const copies = Array.from({ length: 201 }, (_, n) => `(${n + 2}, '${randomUUID()}')`);
    await app.database.query(
      `with copies(seq, id) as (values ${copies.join(',')})
       insert into messages ("classId", seq, ordinal, id, "memberId", text, digest, "createdAt", deleted, votes)
       select "classId", copies.seq, copies.seq, copies.id, "memberId", text, '', "createdAt", 0, 0
       from messages, copies where "classId" = '${classId}'`,
    );

    const { questions, hasOlder } = await listQuestions(ben, classId);

    expect(questions).toHaveLength(200);
    expect(questions[0]?.seq).toBe(202);
    expect(hasOlder).toBe(true);
  });

  test('a page of messages says for which of its questions the caller voted [QUEST-10]', async () => {
    const { ada, ben, classId, asker, other } = await createRoom();
    const params = { classId };
    await asker.post(classId, 'no question');
    const pageWithoutQuestions = await ben.call('listMessages', { params, query: {} });
    const votedId = await ask(asker, classId, 'The first?');
    await ask(asker, classId, 'The second?');
    await vote(other, classId, votedId);

    const page = await ben.call('listMessages', { params, query: {} });
    const pageOfAsker = await ada.call('listMessages', { params, query: {} });

    expect(page.voted).toBe('10');
    expect(pageOfAsker.voted).toBe('00');
    expect(pageWithoutQuestions.voted).toBe('');
  });

  test('a deleted question leaves the list, with its votes and marks [QUEST-6]', async () => {
    const { ben, classId, asker, other } = await createRoom();
    const questionId = await ask(asker, classId);
    const answerId = await replyTo(other, classId, questionId);
    await vote(other, classId, questionId);
    await markAnswer(asker, classId, questionId, answerId);

    await asker.request({ type: 'delete', classId, messageId: questionId });

    expect((await listQuestions(ben, classId)).questions).toEqual([]);
    expect(await app.database.query('select * from "questionVotes"')).not.toContainEqual(
      expect.objectContaining({ classId }),
    );
    expect(await vote(other, classId, questionId)).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('votes', () => {
  test('everyone sees the number of votes, and only the voter sees the vote [QUEST-2, QUEST-3]', async () => {
    const { ben, classId, asker, other } = await createRoom();
    const secondDevice = await ben.connect();
    const questionId = await ask(asker, classId);

    expect(await vote(other, classId, questionId)).toMatchObject({ type: 'ack', seq: 1 });
    expect(await vote(other, classId, questionId)).toMatchObject({ type: 'ack' });

    await waitForQuestion(asker, questionId, { votes: 1 });
    const voted = { type: 'voted', classId, messageId: questionId, voted: true };
    expect(await secondDevice.waitFor('voted')).toEqual(voted);
    expect(asker.frames.map(({ type }) => type)).not.toContain('voted');
    expect(await ben.snapshot(classId)).toMatchObject({
      messages: [{ question: { votes: 1 }, reactions: {} }],
      me: { hasAppeared: false },
    });
  });

  test('a second press takes the vote back [QUEST-2]', async () => {
    const { ben, classId, asker, other } = await createRoom();
    const questionId = await ask(asker, classId);
    await vote(other, classId, questionId);
    await waitForQuestion(asker, questionId, { votes: 1 });

    await vote(other, classId, questionId, false);
    await vote(other, classId, questionId, false);

    await waitForQuestion(asker, questionId, { votes: 0 });
    expect(await listQuestions(ben, classId)).toMatchObject({ voted: '0' });
  });

  test('no one can vote for their own question, asked anonymously or as staff [QUEST-2]', async () => {
    const { ada, classId, asker } = await createRoom();
    await grantStaff(app, ada, classId, 'Dr. Lopez');
    const id = randomUUID();
    const frame = { type: 'post', classId, id, text: 'Why?', question: true, staff: true };
    await asker.request(frame);
    const questionId = await ask(asker, classId);

    expect(await vote(asker, classId, questionId)).toMatchObject({ code: 'OWN_QUESTION' });
    expect(await vote(asker, classId, id)).toMatchObject({ code: 'OWN_QUESTION' });
  });

  test('only a question can get votes and answers [QUEST-2, QUEST-4]', async () => {
    const { classId, asker, other } = await createRoom();
    const { id } = await asker.post(classId, 'no question');

    expect(await vote(other, classId, id)).toMatchObject({ code: 'NO_QUESTION' });
    expect(await markAnswer(asker, classId, id, null)).toMatchObject({ code: 'NO_QUESTION' });
    expect(await vote(other, classId, randomUUID())).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('the last vote that reaches the server counts, also if it repeats an older one [QUEST-15]', async () => {
    const { ben, classId, asker, other } = await createRoom();
    const secondDevice = await ben.connect();
    const questionId = await ask(asker, classId);
    await vote(other, classId, questionId);
    await vote(secondDevice, classId, questionId, false);

    await vote(other, classId, questionId);

    expect(await listQuestions(ben, classId)).toMatchObject({ voted: '1' });
    const notices = secondDevice.frames.filter(({ type }) => type === 'voted');
    expect(notices.at(-1)).toMatchObject({ voted: true });
  });

  test('numbers that a stopped server did not publish are published by the next one [QUEST-7]', async () => {
    const { ada, classId, asker, other } = await createRoom();
    const questionId = await ask(asker, classId);
    await vote(other, classId, questionId);
    await waitForQuestion(asker, questionId, { votes: 1 });
    await app.restart(() =>
      app.database.query(
        `insert into "questionVotes" ("classId", seq, voter) values ('${classId}', 1, 'another voter')`,
      ),
    );

    await expect
      .poll(async () => (await listQuestions(ada, classId)).questions[0]?.question?.votes)
      .toBe(2);
  });
});

describe('answers', () => {
  test('the asker marks a reply as the answer, and takes the mark back [QUEST-4]', async () => {
    const { ben, classId, asker, other } = await createRoom();
    const questionId = await ask(asker, classId);
    const answerId = await replyTo(other, classId, questionId, 'On Friday');

    expect(await markAnswer(asker, classId, questionId, answerId)).toMatchObject({ seq: 3 });
    expect(await markAnswer(asker, classId, questionId, answerId)).toMatchObject({ seq: 3 });

    const answer = { messageId: answerId, quote: { text: 'On Friday' } };
    const { messages } = await ben.snapshot(classId);
    expect(messages[0]).toMatchObject({ question: { votes: 0, answer, endorsed: null } });
    await markAnswer(asker, classId, questionId, null);
    await waitForQuestion(other, questionId, { answer: null });
  });

  test('only a present reply to the question can be its answer [QUEST-4]', async () => {
    const { classId, asker, other } = await createRoom();
    const questionId = await ask(asker, classId);
    const { id: noReply } = await other.post(classId, 'On Friday');
    const deletedId = await replyTo(other, classId, questionId);
    await other.request({ type: 'delete', classId, messageId: deletedId });
    const mark = (answerId: string) => markAnswer(asker, classId, questionId, answerId);

    expect(await mark(noReply)).toMatchObject({ code: 'NO_REPLY' });
    expect(await mark(questionId)).toMatchObject({ code: 'NO_REPLY' });
    expect(await mark(deletedId)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await mark(randomUUID())).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('staff and moderators of the class mark answers, and other members do not [QUEST-4]', async () => {
    const { ada, ben, classId, asker, other } = await createRoom();
    const moderator = await app.createStudent();
    await moderator.join(classId);
    await grantRoleByCommand(app.database.settings, { email: moderator.email, classId }, 'Kim');
    const moderatorSocket = await moderator.connect();
    const questionId = await ask(asker, classId);
    const answerId = await replyTo(asker, classId, questionId);

    const firstReply = await markAnswer(other, classId, questionId, answerId);
    await grantStaff(app, ben, classId, 'Dr. Ito');
    const replyToStaff = await markAnswer(other, classId, questionId, answerId);
    const replyToModerator = await markAnswer(moderatorSocket, classId, questionId, null);

    expect(firstReply).toMatchObject({
      code: 'NOT_ALLOWED',
      message: 'Only the person who asked, staff and moderators can mark the answer.',
    });
    expect([replyToStaff.type, replyToModerator.type]).toEqual(['ack', 'ack']);
    // Neither of them has a persona that others see.
    expect((await ada.snapshot(classId)).personas).toHaveLength(1);
  });

  test('only staff of the class endorse an answer [QUEST-4]', async () => {
    const { ben, classId, asker, other } = await createRoom();
    const questionId = await ask(asker, classId);
    const answerId = await replyTo(asker, classId, questionId);
    const markEndorsed = (socket: typeof asker) =>
      markAnswer(socket, classId, questionId, answerId, { endorsed: true });

    expect(await markEndorsed(asker)).toMatchObject({ code: 'NOT_ALLOWED' });
    await grantStaff(app, ben, classId, 'Dr. Ito');
    expect(await markEndorsed(other)).toMatchObject({ type: 'ack' });

    const endorsed = expect.objectContaining({ messageId: answerId }) as never;
    await waitForQuestion(asker, questionId, { answer: null, endorsed });
  });

  test('a deleted reply is no answer any more [QUEST-6]', async () => {
    const { ada, ben, classId, asker, other } = await createRoom();
    await grantStaff(app, ben, classId, 'Dr. Ito');
    const questionId = await ask(asker, classId);
    const answerId = await replyTo(other, classId, questionId);
    await markAnswer(asker, classId, questionId, answerId);
    await markAnswer(other, classId, questionId, answerId, { endorsed: true });

    await other.request({ type: 'delete', classId, messageId: answerId });

    await waitForQuestion(asker, questionId, { answer: null, endorsed: null });
    const { questions } = await listQuestions(ada, classId);
    expect(questions).toMatchObject([{ question: unanswered }]);
  });

  test('the beginning of the answer follows its edits [QUEST-6]', async () => {
    const { ada, classId, asker, other } = await createRoom();
    const questionId = await ask(asker, classId);
    const answerId = await replyTo(other, classId, questionId, 'On Friday');
    await markAnswer(asker, classId, questionId, answerId);

    await other.request({ type: 'edit', classId, messageId: answerId, text: 'On Monday' });

    const { questions } = await listQuestions(ada, classId);
    expect(questions[0]?.question?.answer?.quote.text).toBe('On Monday');
  });

  test('a browser that was offline catches up with votes and marks [QUEST-3, QUEST-4]', async () => {
    const { ada, classId, asker, other } = await createRoom();
    const questionId = await ask(asker, classId);
    const answerId = await replyTo(other, classId, questionId, 'On Friday');
    const { epoch, seq, lastId } = await ada.snapshot(classId);
    await vote(other, classId, questionId);
    await waitForQuestion(asker, questionId, { votes: 1 });
    await markAnswer(asker, classId, questionId, answerId);
    const offline = await ada.connect();

    offline.send({ type: 'subscribe', rid: 1, classId, epoch, after: seq, afterId: lastId! });

    const answer = { messageId: answerId, quote: { text: 'On Friday' } };
    const { items } = await offline.waitFor('events');
    expect(items).toMatchObject([
      { kind: 'question', messageId: questionId, question: { votes: 1, answer } },
      { kind: 'question', messageId: questionId, question: { votes: 1, answer } },
    ]);
  });
});
