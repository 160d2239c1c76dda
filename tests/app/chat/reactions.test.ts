import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';

const app = setUpApp();

test('a member can react with exactly four emojis [REACT-1]', async () => {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const { id: messageId } = await ada.post(classId, 'And?');
  const socket = await ben.connect();
  const { memberId } = (await socket.subscribe(classId)).me;
  const react = (emoji: unknown) => socket.request({ type: 'react', classId, messageId, emoji });

  for (const emoji of ['❤️', '👍', '👎', '💩']) {
    expect(await react(emoji), emoji).toMatchObject({ type: 'ack' });
    const { messages } = await socket.subscribe(classId);
    expect(messages[0]?.reactions).toEqual({ [memberId]: emoji });
  }
  for (const other of ['🙂', '❤', '👍🏽', 'heart', '', '👍👎']) {
    expect(await react(other), other).toMatchObject({ type: 'nack', code: 'INVALID' });
  }
});

test('at most 500 members can react to one message [LOG-81]', async () => {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const cem = await app.createStudent();
  await cem.call('joinClass', { params: { classId } });
  const { id: messageId } = await ada.post(classId, 'Who comes?');
  const benSocket = await ben.connect();
  const cemSocket = await cem.connect();
  const { memberId } = (await benSocket.subscribe(classId)).me;
  const react = { type: 'react', classId, messageId } as const;
  const memberIds = Array.from({ length: 499 }, () => randomBytes(12).toString('base64url'));
  await app.database.query(
    `insert into reactions ("classId", seq, "memberId", emoji)
     values ${memberIds.map((other) => `('${classId}', 1, '${other}', '👍')`).join(',')}`,
  );

  expect(await benSocket.request({ ...react, emoji: '👍' })).toMatchObject({ type: 'ack' });
  expect(await cemSocket.request({ ...react, emoji: '👍' })).toMatchObject({
    type: 'nack',
    code: 'TOO_MANY_REACTIONS',
    message: expect.stringMatching(new RegExp(`${limits.messageReactions} people`)) as string,
  });
  expect(await benSocket.request({ ...react, emoji: '👎' })).toMatchObject({ type: 'ack' });

  const { messages } = await benSocket.subscribe(classId);
  expect(messages[0]?.reactions).toMatchObject({ [memberId]: '👎' });
  expect(Object.keys(messages[0]!.reactions)).toHaveLength(500);
  expect(await benSocket.request({ ...react, emoji: null })).toMatchObject({ type: 'ack' });
  expect(await cemSocket.request({ ...react, emoji: '👍' })).toMatchObject({ type: 'ack' });
});
