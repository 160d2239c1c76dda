// What becomes of votes when an account leaves, a class ends or the server key changes.
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { changeKey, signUpAgain } from '#tests/support/change-key.ts';
import {
  ask,
  listQuestions,
  publishVotesSoon,
  vote,
  waitForQuestion,
} from '#tests/support/questions.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { startApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { shortenIntervals } from '#tests/support/shorten-timers.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';

/** The interval at which the server checks for due removals. */
const checkEveryMs = 10_000;
shortenIntervals(checkEveryMs, 50);
publishVotesSoon();
const app = setUpApp();

afterEach(() => vi.useRealTimers());

/** Advances the clock, for the server too. */
function passHours(hours: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 60 * 60_000 });
}

/** Ada asks in a class, and Ben votes. */
async function createVotedQuestion(site = app) {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const asker = await ada.connectTo(classId);
  const voter = await ben.connect();
  const questionId = await ask(asker, classId);
  await vote(voter, classId, questionId);
  await waitForQuestion(asker, questionId, { votes: 1 });
  const listVotes = () =>
    site.database.query(`select voter from "questionVotes" where "classId" = '${classId}'`);
  return { ada, ben, classId, asker, questionId, listVotes };
}

describe('the votes of a member who goes', () => {
  test('the votes of a member who leaves are deleted some minutes later [QUEST-8]', async () => {
    const { ben, classId, asker, questionId, listVotes } = await createVotedQuestion();

    await ben.leave(classId);
    expect(await listVotes()).toHaveLength(1);
    passHours(1);

    await waitForQuestion(asker, questionId, { votes: 0 });
    expect(await listVotes()).toEqual([]);
  });

  test('the votes of a member who leaves an ended class are deleted, and the number stays [QUEST-8]', async () => {
    const { ada, ben, classId, listVotes } = await createVotedQuestion();
    await runAdminCommand(app.database.settings, 'end-class', classId);

    await ben.leave(classId);
    passHours(1);

    await expect.poll(listVotes).toEqual([]);
    expect((await listQuestions(ada, classId)).questions).toMatchObject([
      { question: { votes: 1 } },
    ]);
  });

  test('the votes of a member who leaves and joins again stay [QUEST-8]', async () => {
    const { ben, classId, asker, questionId, listVotes } = await createVotedQuestion();
    const { classId: otherId, ...other } = await createVotedQuestion();

    await other.ben.leave(otherId);
    await ben.leave(classId);
    await ben.join(classId);
    passHours(1);
    await waitForQuestion(other.asker, other.questionId, { votes: 0 });

    expect(await listVotes()).toHaveLength(1);
    expect(await vote(await ben.connect(), classId, questionId, false)).toMatchObject({
      type: 'ack',
    });
    await waitForQuestion(asker, questionId, { votes: 0 });
  });

  test.each(['keep', 'delete'] as const)(
    'the votes of a deleted account are deleted within a day (messages: %s) [QUEST-8]',
    async (messages) => {
      const { ben, asker, questionId, listVotes } = await createVotedQuestion();

      await ben.call('deleteAccount', { body: { password: ben.password, messages } });
      expect(await listVotes()).toHaveLength(1);
      passHours(25);

      await waitForQuestion(asker, questionId, { votes: 0 });
      expect(await listVotes()).toEqual([]);
    },
  );
});

test('when the links of an ended class are removed, its votes are deleted and the numbers stay [QUEST-9]', async () => {
  const { ben, classId, listVotes } = await createVotedQuestion();

  await runAdminCommand(app.database.settings, 'archive-class', classId);

  expect(await listVotes()).toEqual([]);
  await app.restart();
  const list = { questions: [{ question: { votes: 1 } }], voted: '0' };
  expect(await listQuestions(ben, classId)).toMatchObject(list);
});

describe('a change of the server key', () => {
  async function startOwnApp() {
    const ownApp = await startApp();
    onTestFinished(() => ownApp.stop());
    return ownApp;
  }

  test('votes are kept under other ids when the server key changes [QUEST-9]', async () => {
    const ownApp = await startOwnApp();
    const { ada, ben, classId, questionId, listVotes } = await createVotedQuestion(ownApp);
    const votesBefore = await listVotes();

    await changeKey(ownApp);

    const votesAfter = await listVotes();
    expect(votesAfter).toHaveLength(1);
    expect(votesAfter).not.toEqual(votesBefore);
    for (const student of [ada, ben]) await student.signIn();
    expect(await listQuestions(ben, classId)).toMatchObject({ voted: '1' });
    expect(await listQuestions(ada, classId)).toMatchObject({ voted: '0' });
    const asker = await ada.connectTo(classId);
    await vote(await ben.connect(), classId, questionId, false);
    await waitForQuestion(asker, questionId, { votes: 0 });
  });

  test('a new server key deletes the votes of members who have left [QUEST-9]', async () => {
    const ownApp = await startOwnApp();
    const { ada, ben, classId, listVotes } = await createVotedQuestion(ownApp);
    await ben.leave(classId);

    await changeKey(ownApp);

    expect(await listVotes()).toEqual([]);
    await ada.signIn();
    await expect
      .poll(async () => (await listQuestions(ada, classId)).questions)
      .toMatchObject([{ question: { votes: 0 } }]);
  });

  test('votes are deleted when the server key was lost [QUEST-9]', async () => {
    const ownApp = await startOwnApp();
    const { ben, classId, listVotes } = await createVotedQuestion(ownApp);

    await changeKey(ownApp, 'lost');

    expect(await listVotes()).toEqual([]);
    await signUpAgain(ben, classId);
    await expect
      .poll(() => listQuestions(ben, classId))
      .toMatchObject({ questions: [{ question: { votes: 0 } }], voted: '0' });
  });
});
