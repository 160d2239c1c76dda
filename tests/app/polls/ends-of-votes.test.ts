// What becomes of votes in open polls when a member leaves or the server key changes.
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { changeKey } from '#tests/support/change-key.ts';
import { askPoll, choose, fetchPoll } from '#tests/support/polls.ts';
import { startApp } from '#tests/support/running-app.ts';
import { shortenIntervals } from '#tests/support/shorten-timers.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';

/** The interval at which the server checks for due removals. */
shortenIntervals(10_000, 50);

afterEach(() => vi.useRealTimers());

/** Ada asks for three days, and Ben votes. */
async function createVotedPoll() {
  const app = await startApp();
  onTestFinished(() => app.stop());
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const pollId = await askPoll(await ada.connect(), classId, { minutes: 3 * 24 * 60 });
  await choose(await ben.connect(), classId, pollId, 1);
  const listVotes = () => app.database.query('select voter, choices from "questionVotes"');
  return { app, ben, classId, pollId, listVotes };
}

test('the vote of a member who leaves is deleted some minutes later [POLL-9]', async () => {
  const { ben, classId, listVotes } = await createVotedPoll();

  await ben.leave(classId);
  expect(await listVotes()).toHaveLength(1);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60 * 60_000 });

  await expect.poll(listVotes).toEqual([]);
});

test('votes in open polls are kept under other ids when the server key changes [POLL-9]', async () => {
  const { app, ben, classId, pollId, listVotes } = await createVotedPoll();
  const votesBefore = await listVotes();

  await changeKey(app);

  const votesAfter = await listVotes();
  expect(votesAfter).toMatchObject([{ choices: '01000000' }]);
  expect(votesAfter).not.toEqual(votesBefore);
  await ben.signIn();
  expect((await fetchPoll(ben, classId, pollId)).choices).toEqual([1]);
});
