// A poll on the screen of the hall: which polls staff can show, what the screen gets, and when it ends.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { CallReply } from '#contract/http.ts';
import { routes } from '#contract/routes.ts';
import { askPoll, choose, closePoll, somePoll, waitForPoll } from '#tests/support/polls.ts';
import { publishVotesSoon } from '#tests/support/questions.ts';
import { shortenTimeouts } from '#tests/support/shorten-timers.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { grantStaff } from '#tests/support/staff.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';

publishVotesSoon();
shortenTimeouts('forgetPresentation', 0);
const app = setUpApp();

/** Ada is staff and holds a lecture. Ben is a member. */
async function createLecture() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  await grantStaff(app, ada, classId, 'Prof. Lee');
  const params = { classId };
  await ada.call('startLecture', { params, body: { hours: 1 } });
  const { presenterToken } = await ada.call('createPresenterLink', { params });
  const fetchScreen = () =>
    app.visitor().fetch(routes.readPresentation.path, {
      headers: { 'presenter-token': presenterToken },
    });
  return {
    ada,
    ben,
    classId,
    staff: await ada.connectTo(classId),
    member: await ben.connectTo(classId),
    fetchScreen,
    show: (messageId: string | null, client = ada) =>
      client.call('presentPoll', { params, body: { messageId } }),
    async findPoll() {
      const screen = (await (await fetchScreen()).json()) as CallReply<'readPresentation'>;
      return screen.presentedPoll;
    },
    async findPollId() {
      const { settings } = await ben.call('readClassSettings', { params });
      return settings.lecture?.pollId;
    },
  };
}

/** @returns the id of a poll that staff ask as staff */
async function askAsStaff(
  staff: TestSocket,
  classId: string,
  change: Partial<typeof somePoll & { text: string }> = {},
): Promise<string> {
  const { text = 'When shall we meet?', ...poll } = change;
  const id = randomUUID();
  const frame = { type: 'post', classId, id, text, staff: true, poll: { ...somePoll, ...poll } };
  expect(await staff.request(frame)).toMatchObject({ type: 'ack' });
  return id;
}

/** Stores votes of others for the first option. The next vote of a member publishes them, too. */
async function addVotes(pollId: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await app.database.query(
      `insert into "questionVotes" ("classId", seq, voter, choices)
       select "classId", seq, 'voter ${n}', '10000000' from messages where id = '${pollId}'`,
    );
  }
}

describe('a poll in the hall', () => {
  test('the screen shows a poll of staff until they stop it, and all members learn of it [LECT-20, LECT-21]', async () => {
    const { classId, staff, member, show, findPoll, findPollId } = await createLecture();
    const pollId = await askAsStaff(staff, classId);
    expect(await findPoll()).toBeNull();

    await show(pollId);

    expect(await findPoll()).toEqual({
      pollKey: expect.any(String) as string,
      pollText: 'When shall we meet?',
      pollOptions: somePoll.options,
      pollOpen: true,
      pollCountsAfter: 'vote',
      pollCounts: null,
    });
    await member.waitFor('events', ({ items }) =>
      items.some((item) => item.kind === 'settings' && item.settings.lecture?.pollId === pollId),
    );
    await show(null);
    expect([await findPoll(), await findPollId()]).toEqual([null, undefined]);
  });

  test('the screen gets no persona, no time and no id of the class [LECT-21]', async () => {
    const { ada, ben, classId, staff, fetchScreen, show } = await createLecture();
    const { me } = await ben.snapshot(classId);
    const pollId = await askAsStaff(staff, classId, { text: `Does <@${me.memberId}> agree?` });
    await show(pollId);

    const text = await (await fetchScreen()).text();

    expect(text).toContain('Does @… agree?');
    const { messages } = await ada.snapshot(classId);
    const { createdAt, memberId, poll } = messages[0]!;
    const secrets = [me.memberId, me.anonymousName, memberId, 'Lee', pollId, ada.email];
    for (const secret of [...secrets, String(createdAt), String(poll?.closesAt)]) {
      expect(text).not.toContain(secret);
    }
  });

  test.each(['vote', 'closing'])(
    'the screen has the counts that a voter sees if they appear after the %s, and none below five votes [LECT-21, POLL-5]',
    async (resultsAfter) => {
      const { ada, classId, staff, member, show, findPoll } = await createLecture();
      const pollId = await askAsStaff(staff, classId, { resultsAfter });
      await show(pollId);
      await addVotes(pollId, 3);
      await choose(member, classId, pollId, 1);
      expect((await findPoll())?.pollCounts).toBeNull();

      await choose(staff, classId, pollId, 2);

      const pollCounts = { pollVoters: 5, optionCounts: [3, 1, 1] };
      if (resultsAfter === 'vote') await waitForPoll(member, pollId, { result: null });
      expect(await findPoll()).toMatchObject({
        pollOpen: true,
        pollCounts: resultsAfter === 'vote' ? pollCounts : null,
      });
      await closePoll(ada, classId, pollId);
      expect(await findPoll()).toMatchObject({ pollOpen: false, pollCounts });
    },
  );
});

describe('which poll can be shown', () => {
  test('only one that staff asked as staff, and only by who can start a lecture [LECT-20]', async () => {
    const { ben, classId, staff, member, show, findPoll } = await createLecture();
    const asStaff = await askAsStaff(staff, classId);
    // The anonymous persona of the same account, and a student.
    const anonymously = await askPoll(staff, classId);
    const ofStudent = await askPoll(member, classId);
    const { id: noPoll } = await member.post(classId, 'no poll');

    for (const pollId of [anonymously, ofStudent]) {
      await expect(show(pollId)).rejects.toMatchObject({
        code: 'NOT_ALLOWED',
        message: 'Only a poll that staff asked can be shown in the hall.',
      });
    }
    await expect(show(noPoll)).rejects.toMatchObject({ code: 'NO_POLL' });
    await expect(show(randomUUID())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(show(asStaff, ben)).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
    expect(await findPoll()).toBeNull();
  });

  test('a poll needs a lecture, and the next lecture begins without it [LECT-20]', async () => {
    const { ada, classId, staff, show, findPollId } = await createLecture();
    const pollId = await askAsStaff(staff, classId);
    await show(pollId);
    await ada.call('endLecture', { params: { classId } });
    await expect(show(pollId)).rejects.toMatchObject({ code: 'NO_LECTURE' });

    await ada.call('startLecture', { params: { classId }, body: { hours: 1 } });

    expect(await findPollId()).toBeUndefined();
  });

  test('a deleted poll is shown no more, and one that reports hide is not shown while it is hidden [LECT-20]', async () => {
    const { classId, staff, member, show, findPoll, findPollId } = await createLecture();
    const pollId = await askAsStaff(staff, classId);
    await show(pollId);
    const setModeration = (value: string) =>
      app.database.query(`update messages set moderation = ${value} where id = '${pollId}'`);

    await setModeration("'hidden'");
    expect(await findPoll()).toBeNull();
    await expect(show(null).then(() => show(pollId))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await setModeration('null');
    await show(pollId);
    await staff.request({ type: 'delete', classId, messageId: pollId });

    expect([await findPoll(), await findPollId()]).toEqual([null, undefined]);
    await member.waitFor('events', ({ items }) =>
      items.some((item) => item.kind === 'settings' && item.seq > 5),
    );
  });
});
