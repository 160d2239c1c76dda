import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { accountExportSchema } from '#contract/account.ts';
import { listCases, report } from '#tests/support/moderation.ts';
import {
  askPoll,
  choose,
  closePoll,
  fetchPoll,
  somePoll,
  waitForPoll,
} from '#tests/support/polls.ts';
import { publishVotesSoon, vote } from '#tests/support/questions.ts';
import { grantRoleByCommand } from '#tests/support/roles.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { shortenIntervals } from '#tests/support/shorten-timers.ts';
import { grantStaff } from '#tests/support/staff.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';

/** The interval at which the server looks for polls whose time is over. */
shortenIntervals(5_000, 50);
publishVotesSoon();
const app = setUpApp();

afterEach(() => vi.useRealTimers());

async function createRoom() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const asker = await ada.connectTo(classId);
  const other = await ben.connectTo(classId);
  const listBallots = () =>
    app.database.query(
      `select voter, choices from "questionVotes" where "classId" = '${classId}' and choices is not null`,
    );
  return { ada, ben, classId, asker, other, listBallots };
}

/** Stores votes of others for the first option. The next vote of a member publishes them, too. */
async function addVotes(classId: string, count: number): Promise<void> {
  const rows = Array.from(
    { length: count },
    (_, n) => `('${classId}', 1, 'voter ${n}', '10000000')`,
  );
  await app.database.query(
    `insert into "questionVotes" ("classId", seq, voter, choices) values ${rows.join(',')}`,
  );
}

describe('asking', () => {
  test('a poll has its options for everyone, also after an edit of the text [POLL-1]', async () => {
    const { ben, classId, asker, other } = await createRoom();

    const pollId = await askPoll(asker, classId);
    const edit = { type: 'edit', classId, messageId: pollId, text: 'When?' };
    expect(await asker.request(edit)).toMatchObject({ type: 'ack' });

    const { minutes: _, ...options } = somePoll;
    const poll = { ...options, closesAt: expect.any(Number), result: null };
    const { items } = await other.waitFor('events', (frame) => frame.items[0]?.kind === 'posted');
    expect(items).toMatchObject([{ message: { id: pollId, poll } }]);
    const { messages } = await ben.snapshot(classId);
    expect(messages).toMatchObject([{ text: 'When?', poll }]);
    expect(messages[0]!.poll!.closesAt! - messages[0]!.createdAt).toBe(10 * 60_000);
  });

  test.each([
    ['one option', { options: ['Yes'] }, 'INVALID'],
    ['nine options', { options: Array.from({ length: 9 }, (_, n) => `No. ${n}`) }, 'INVALID'],
    ['two equal options', { options: ['Yes', ' Yes'] }, 'INVALID'],
    ['a blank option', { options: ['Yes', '\u200b'] }, 'INVALID'],
    ['an option of two lines', { options: ['Yes', 'N\no'] }, 'INVALID'],
    ['an option that is too long', { options: ['Yes', 'o'.repeat(101)] }, 'INVALID'],
    ['a time that is too long', { minutes: 31 * 24 * 60 + 1 }, 'INVALID'],
  ])('a poll with %s is rejected [POLL-1, POLL-4]', async (_, change, code) => {
    const { classId, asker } = await createRoom();

    const frame = { type: 'post', classId, id: randomUUID(), text: 'Well?' };

    expect(await asker.request({ ...frame, poll: { ...somePoll, ...change } })).toMatchObject({
      code,
    });
  });

  test('a repeated post is the same poll, with other options another message, and never a question [POLL-1]', async () => {
    const { classId, asker } = await createRoom();
    const frame = { type: 'post', classId, id: randomUUID(), text: 'Why?' };
    await asker.request({ ...frame, poll: somePoll });

    const replies = [
      await asker.request({ ...frame, poll: somePoll }),
      await asker.request({ ...frame, poll: { ...somePoll, options: ['Yes', 'No'] } }),
      await asker.request({ ...frame, id: randomUUID(), poll: somePoll, question: true }),
      await vote(asker, classId, frame.id),
    ];

    expect(replies).toMatchObject([
      { seq: 1 },
      { code: 'ID_CONFLICT' },
      { code: 'NO_QUESTION' },
      { code: 'NO_QUESTION' },
    ]);
  });
});

describe('open polls', () => {
  test('a member has at most five open polls in a class, and staff five as staff [POLL-13]', async () => {
    const { ada, classId, asker, other } = await createRoom();
    await grantStaff(app, ada, classId, 'Dr. Lopez');
    const id = randomUUID();
    const frame = { type: 'post', classId, id, text: 'Why?', poll: somePoll };
    await asker.request(frame);
    const pollIds: string[] = [];
    for (let count = 1; count < 5; count++) pollIds.push(await askPoll(asker, classId));

    expect(await asker.request({ ...frame, id: randomUUID() })).toMatchObject({
      code: 'TOO_MANY_POLLS',
      message: 'You have 5 open polls in this class. Please close one, then ask again.',
    });
    expect(await asker.request(frame)).toMatchObject({ type: 'ack', seq: 1 });
    await askPoll(other, classId);
    expect(await asker.request({ ...frame, id: randomUUID(), staff: true })).toMatchObject({
      type: 'ack',
    });
    await closePoll(ada, classId, pollIds[0]!);
    await askPoll(asker, classId);
  });

  test('a class has at most twenty open polls [POLL-13]', async () => {
    const { ben, classId, asker, other } = await createRoom();
    await askPoll(asker, classId);
    const pollId = await askPoll(asker, classId);
    // The others are of members who are not here.
    const columns = '"classId", seq, ordinal, id, "memberId", text, digest, "createdAt", deleted';
    const closesAt = Date.now() + 3_600_000;
    const rows = Array.from(
      { length: 18 },
      (_, n) => `('${classId}', ${100 + n}, ${100 + n}, '${randomUUID()}', 'member ${n}', 'Well?',
        '', 1, 0, '{}', ${closesAt})`,
    );
    await app.database.query(
      `insert into messages (${columns}, poll, "pollClosesAt") values ${rows.join(',')}`,
    );
    const frame = { type: 'post', classId, id: randomUUID(), text: 'Why?', poll: somePoll };

    expect(await other.request(frame)).toMatchObject({
      code: 'TOO_MANY_POLLS',
      message: 'This class has 20 open polls. Please ask again when one of them has closed.',
    });
    await other.post(classId, 'no poll');
    await asker.request({ type: 'delete', classId, messageId: pollId });
    expect(await other.request(frame)).toMatchObject({ type: 'ack' });
    expect(await fetchPoll(ben, classId, frame.id)).toMatchObject({ choices: [] });
  });
});

describe('voting', () => {
  test('a member votes, changes the vote and takes it back, and no one else learns of it [POLL-2, POLL-3]', async () => {
    const { ada, ben, classId, asker, other, listBallots } = await createRoom();
    const secondDevice = await ben.connect();
    const pollId = await askPoll(asker, classId);

    expect(await choose(other, classId, pollId, 0)).toMatchObject({ type: 'ack', seq: 1 });
    expect(await choose(other, classId, pollId, 2)).toMatchObject({ type: 'ack' });

    expect(await listBallots()).toMatchObject([{ choices: '00100000' }]);
    expect((await fetchPoll(ben, classId, pollId)).choices).toEqual([2]);
    expect((await fetchPoll(ada, classId, pollId)).choices).toEqual([]);
    const ownVote = { type: 'chosen', classId, messageId: pollId, choices: [2] };
    expect(await secondDevice.waitFor('chosen', ({ choices }) => choices[0] === 2)).toEqual(
      ownVote,
    );
    expect(asker.frames.map(({ type }) => type)).not.toContain('chosen');
    expect((await ben.snapshot(classId)).me.hasAppeared).toBe(false);

    await choose(other, classId, pollId);
    expect(await listBallots()).toEqual([]);
  });

  test('the asker votes once, anonymously and as staff together [POLL-2]', async () => {
    const { ada, classId, asker, listBallots } = await createRoom();
    await grantStaff(app, ada, classId, 'Dr. Lopez');
    const id = randomUUID();
    await asker.request({ type: 'post', classId, id, text: 'Now?', poll: somePoll, staff: true });

    await choose(asker, classId, id, 0);
    await choose(asker, classId, id, 1);

    expect(await listBallots()).toMatchObject([{ choices: '01000000' }]);
  });

  test('only options of the poll can be chosen, and several only if the poll allows it [POLL-1, POLL-2]', async () => {
    const { classId, asker, other } = await createRoom();
    const { id: noPoll } = await asker.post(classId, 'no poll');
    const single = await askPoll(asker, classId);
    const several = await askPoll(asker, classId, { several: true });

    const replies = [
      await choose(other, classId, single, 3),
      await choose(other, classId, single, 0, 1),
      await choose(other, classId, several, 0, 1),
      await choose(other, classId, noPoll, 0),
      await choose(other, classId, randomUUID(), 0),
    ];

    expect(replies).toMatchObject([
      { code: 'INVALID' },
      { code: 'INVALID' },
      { type: 'ack' },
      { code: 'NO_POLL' },
      { code: 'NOT_FOUND' },
    ]);
  });
});

describe('results', () => {
  test('counts are published once five have voted, and only those who voted get them [POLL-5, POLL-7]', async () => {
    const { ada, ben, classId, asker, other } = await createRoom();
    const pollId = await askPoll(asker, classId);
    await addVotes(classId, 3);
    await choose(other, classId, pollId, 1);
    expect(await fetchPoll(ben, classId, pollId)).toEqual({ choices: [1], result: null });

    await choose(asker, classId, pollId, 1);
    await waitForPoll(other, pollId, { result: null });

    const result = { voters: 5, counts: [3, 2, 0] };
    expect(await fetchPoll(ben, classId, pollId)).toEqual({ choices: [1], result });
    await choose(other, classId, pollId);
    expect(await fetchPoll(ben, classId, pollId)).toEqual({ choices: [], result: null });
    expect((await ada.snapshot(classId)).messages[0]!.poll!.result).toBeNull();
  });

  test('staff get the counts of their own poll without a vote, and other staff do not [POLL-58]', async () => {
    const { ada, ben, classId, asker, other } = await createRoom();
    await grantStaff(app, ada, classId, 'Dr. Lopez');
    await grantStaff(app, ben, classId, 'Dr. Kim');
    const id = randomUUID();
    await asker.request({ type: 'post', classId, id, text: 'Now?', poll: somePoll, staff: true });
    await addVotes(classId, 4);
    expect((await fetchPoll(ada, classId, id)).result).toBeNull();

    await choose(other, classId, id, 1);
    await waitForPoll(asker, id, { result: null });

    const result = { voters: 5, counts: [4, 1, 0] };
    expect(await fetchPoll(ada, classId, id)).toEqual({ choices: [], result });
    await choose(other, classId, id);
    expect(await fetchPoll(ben, classId, id)).toEqual({ choices: [], result: null });
  });

  test('counts that were to stay hidden until the end are published when the poll closes, and its votes are deleted [POLL-4, POLL-5]', async () => {
    const { ada, ben, classId, asker, other, listBallots } = await createRoom();
    const pollId = await askPoll(asker, classId, { resultsAfter: 'closing', several: true });
    await addVotes(classId, 4);
    await choose(other, classId, pollId, 0, 2);
    expect(await fetchPoll(ben, classId, pollId)).toEqual({ choices: [0, 2], result: null });

    await closePoll(ada, classId, pollId);

    const result = { voters: 5, counts: [5, 0, 1] };
    await waitForPoll(other, pollId, { closesAt: null, result });
    expect(await listBallots()).toEqual([]);
    expect(await fetchPoll(ada, classId, pollId)).toEqual({ choices: [], result });
    expect(await choose(other, classId, pollId, 0)).toMatchObject({ code: 'POLL_CLOSED' });
    await expect(closePoll(ada, classId, pollId)).rejects.toMatchObject({ code: 'POLL_CLOSED' });
  });

  test('the reply of readPoll has one size without a vote, and with several and counts [ANON-61]', async () => {
    const { ben, classId, asker, other } = await createRoom();
    const pollId = await askPoll(asker, classId, { several: true });
    await addVotes(classId, 4);
    const measureReply = async () => {
      const response = await ben.fetch(`/api/classes/${classId}/polls/${pollId}`);
      return (await response.arrayBuffer()).byteLength;
    };
    const size = await measureReply();

    await choose(other, classId, pollId, 0, 1, 2);
    await waitForPoll(other, pollId, { result: null });
    expect((await fetchPoll(ben, classId, pollId)).result).not.toBeNull();

    expect(await measureReply()).toBe(size);
  });

  test('a poll with four votes has no counts after its end [POLL-5]', async () => {
    const { ada, classId, asker, other } = await createRoom();
    const pollId = await askPoll(asker, classId);
    await addVotes(classId, 3);
    await choose(other, classId, pollId, 1);

    await closePoll(ada, classId, pollId);

    await waitForPoll(other, pollId, { closesAt: null, result: null });
    expect(
      await app.database.query(`select "pollTally" from messages where id = '${pollId}'`),
    ).toEqual([{ pollTally: null }]);
  });
});

describe('closing', () => {
  test('a poll closes when its time is over, also in an ended class [POLL-4]', async () => {
    const { classId, asker, other } = await createRoom();
    const pollId = await askPoll(asker, classId, { minutes: 1 });
    await app.database.query(
      `update classes set status = 'archived' where "classId" = '${classId}'`,
    );

    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });

    await waitForPoll(other, pollId, { closesAt: null });
    expect(await choose(other, classId, pollId)).toMatchObject({ code: 'CLASS_ENDED' });
  });

  test('a poll that cannot be closed keeps no later one open [POLL-4]', async () => {
    const { classId, asker, other } = await createRoom();
    const brokenId = await askPoll(asker, classId);
    const laterId = await askPoll(asker, classId);

    await app.database.query(`update messages set poll = 'broken' where id = '${brokenId}'`);
    await app.database.query(
      `update messages set "pollClosesAt" = 1 where id in ('${brokenId}', '${laterId}')`,
    );

    await waitForPoll(other, laterId, { closesAt: null });
    const openPolls = await app.database.query(
      `select id from messages where "classId" = '${classId}' and "pollClosesAt" is not null`,
    );
    expect(openPolls).toEqual([{ id: brokenId }]);
    await app.database.query(`delete from messages where id = '${brokenId}'`);
  });

  test('the asker, staff and moderators close a poll, and other members do not [POLL-4]', async () => {
    const { ada, ben, classId, asker } = await createRoom();
    const moderator = await app.createStudent();
    await moderator.join(classId);
    await grantRoleByCommand(app.database.settings, { email: moderator.email, classId }, 'Kim');
    const pollIds = [
      await askPoll(asker, classId),
      await askPoll(asker, classId),
      await askPoll(asker, classId),
    ] as const;

    await expect(closePoll(ben, classId, pollIds[0])).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
      message: 'Only the person who asked, staff and moderators can close the poll.',
    });
    await grantStaff(app, ben, classId, 'Dr. Ito');
    await closePoll(ben, classId, pollIds[0]);
    await closePoll(moderator, classId, pollIds[1]);
    await closePoll(ada, classId, pollIds[2]);

    const { messages, personas } = await ada.snapshot(classId);
    expect(messages.map(({ poll }) => poll?.closesAt)).toEqual([null, null, null]);
    // Neither of the others has a persona that others see.
    expect(personas).toHaveLength(1);
  });

  test('when the links of an ended class are removed, its polls close and keep their counts [POLL-9]', async () => {
    const { ada, classId, asker, other, listBallots } = await createRoom();
    const pollId = await askPoll(asker, classId);
    await addVotes(classId, 4);
    await choose(other, classId, pollId, 0);

    await runAdminCommand(app.database.settings, 'archive-class', classId);

    expect(await listBallots()).toEqual([]);
    const { messages } = await ada.snapshot(classId);
    const result = { voters: 5, counts: [5, 0, 0] };
    expect(messages).toMatchObject([{ id: pollId, poll: { closesAt: null, result } }]);
  });

  test('a browser that was offline catches up with the end of a poll [POLL-4]', async () => {
    const { ada, classId, asker, other } = await createRoom();
    const pollId = await askPoll(asker, classId);
    const { epoch, seq, lastId } = await ada.snapshot(classId);
    await closePoll(ada, classId, pollId);
    await waitForPoll(other, pollId, { closesAt: null });
    const offline = await ada.connect();

    offline.send({ type: 'subscribe', rid: 1, classId, epoch, after: seq, afterId: lastId! });

    const { items } = await offline.waitFor('events');
    expect(items).toMatchObject([{ kind: 'poll', messageId: pollId, poll: { closesAt: null } }]);
  });
});

test('a deleted poll leaves nothing of its options and votes [POLL-9]', async () => {
  const { classId, asker, other, listBallots } = await createRoom();
  const pollId = await askPoll(asker, classId);
  await choose(other, classId, pollId, 0);

  await asker.request({ type: 'delete', classId, messageId: pollId });

  expect(await listBallots()).toEqual([]);
  const columns = 'poll, "pollClosesAt", "pollTally"';
  const rows = await app.database.query(`select ${columns} from messages where id = '${pollId}'`);
  expect(rows).toEqual([{ poll: null, pollClosesAt: null, pollTally: null }]);
});

test('moderators see the options of a reported poll [POLL-12]', async () => {
  const { ben, classId, asker } = await createRoom();
  const moderator = await app.createStudent();
  await grantRoleByCommand(app.database.settings, { email: moderator.email, classId }, 'Kim');
  const pollId = await askPoll(asker, classId);

  await report(ben, classId, { messageId: pollId });

  const cases = await listCases(moderator, { classId });
  expect(cases).toMatchObject([{ evidence: { options: somePoll.options } }]);
});

test('the export has the own polls, and the own votes in open polls [PROFILE-18]', async () => {
  const { ada, ben, classId, asker, other } = await createRoom();
  const pollId = await askPoll(asker, classId);
  await choose(other, classId, pollId, 1);
  const fetchExport = async (student: typeof ada) =>
    accountExportSchema.parse(await (await student.fetch('/api/me/export')).json()).classes[0];

  const { minutes: _, ...poll } = somePoll;
  expect(await fetchExport(ada)).toMatchObject({ messages: [{ id: pollId, poll }], pollVotes: [] });
  expect(await fetchExport(ben)).toMatchObject({
    messages: [],
    pollVotes: [{ messageId: pollId, choices: [1] }],
  });
});
