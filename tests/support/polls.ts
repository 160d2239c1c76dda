// Members who ask polls and vote in them.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Poll } from '#contract/entities.ts';
import type { TestClient } from './test-client.ts';
import type { Reply, TestSocket } from './test-socket.ts';

export const somePoll = {
  options: ['Monday', 'Tuesday', 'Friday'],
  several: false,
  resultsAfter: 'vote',
  minutes: 10,
};

/** @returns the id of the poll */
export async function askPoll(
  socket: TestSocket,
  classId: string,
  poll: Partial<typeof somePoll> = {},
) {
  const id = randomUUID();
  const text = 'When shall we meet?';
  const frame = { type: 'post', classId, id, text, poll: { ...somePoll, ...poll } };
  expect(await socket.request(frame)).toMatchObject({ type: 'ack' });
  return id;
}

/** Votes for these options. Without one, it takes the vote back. */
export function choose(
  socket: TestSocket,
  classId: string,
  messageId: string,
  ...choices: number[]
): Promise<Reply> {
  return socket.request({ type: 'choose', classId, messageId, choices });
}

export async function fetchPoll(client: TestClient, classId: string, messageId: string) {
  return client.call('readPoll', { params: { classId, messageId } });
}

export async function closePoll(client: TestClient, classId: string, messageId: string) {
  return client.call('closePoll', { params: { classId, messageId } });
}

/** Waits until the class has published this state of the poll. */
export async function waitForPoll(
  socket: TestSocket,
  messageId: string,
  state: Partial<Poll>,
): Promise<void> {
  await socket.waitFor('events', ({ items }) =>
    items.some((item) => {
      if (item.kind !== 'poll' || item.messageId !== messageId) return false;
      return expect.objectContaining(state).asymmetricMatch(item.poll);
    }),
  );
}
