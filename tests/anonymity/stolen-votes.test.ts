// A copy of the database, without the server's key: votes lead to no account, to no persona, and to no other vote.
import { expect, test } from 'vitest';
import { deriveServerKeys } from '#server/base/server-keys.ts';
import { computeId } from '#server/chat/members/member-ids.ts';
import { askPoll, choose } from '#tests/support/polls.ts';
import { ask, vote } from '#tests/support/questions.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const secret = 'a secret for this test alone, of 32 characters';
const app = setUpApp({ SECRET_KEY: secret });

test('the votes of one member have no value in common, with each other or with any other row [QUEST-3, POLL-3]', async () => {
  const owner = await app.createStudent();
  const classId = await owner.createClass();
  const ownerSocket = await owner.connectTo(classId);
  const questionIds = [
    await ask(ownerSocket, classId, '1?'),
    await ask(ownerSocket, classId, '2?'),
  ];
  const pollId = await askPoll(ownerSocket, classId);
  for (let n = 0; n < 3; n++) {
    const student = await app.createStudent();
    await student.join(classId);
    const socket = await student.connect();
    await socket.post(classId, 'Me too');
    for (const questionId of questionIds) await vote(socket, classId, questionId);
    await choose(socket, classId, pollId, n);
  }

  const { questionVotes = [], ...tables } = await app.database.tables();

  const voters = questionVotes.map((row) => String(row['voter']));
  expect(new Set(voters).size).toBe(9);
  expect(Object.keys(questionVotes[0] ?? {}).toSorted()).toEqual([
    'choices',
    'classId',
    'seq',
    'voter',
  ]);
  const otherRows = JSON.stringify(tables);
  expect(voters.filter((voter) => otherRows.includes(voter))).toEqual([]);
  // The server key leads to them, so these are the ids that the rule is about.
  const key = deriveServerKeys(secret).questionVotes;
  const salt = String(tables['classes']?.[0]?.['salt']);
  const accountIds = (tables['accounts'] ?? []).map((row) => String(row['id']));
  const votes = accountIds.flatMap((accountId) =>
    [...questionIds, pollId].map((id) => computeId(key, computeId(key, salt, accountId), id)),
  );
  expect(votes).toEqual(expect.arrayContaining(voters));
});
