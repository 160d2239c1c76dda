// Members who ask questions, vote for them and answer them.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, vi, type MockInstance } from 'vitest';
import type { Question } from '#contract/entities.ts';
import { holdTimeouts, shortenTimeouts, type HeldTimeout } from './shorten-timers.ts';
import type { TestClient } from './test-client.ts';
import type { Reply, TestSocket } from './test-socket.ts';

/** Call this before the app starts: numbers of votes are published immediately. */
export function publishVotesSoon(): void {
  shortenTimeouts('publishClassVotes', 20);
}

/** The times at which the server publishes numbers of votes. */
export interface HeldPublications {
  /** Waits for the next timer of a class. Its number is published when the test fires it. */
  take(): Promise<HeldTimeout>;
  isTimerWaiting(): boolean;
  /** Advances the clock by which the server measures the age of votes. */
  pass(ms: number): void;
}

/** Call this before the app starts: numbers of votes are published only when the test says so. */
export function holdPublications(): HeldPublications {
  const timeouts = holdTimeouts('publishClassVotes');
  let passedMs = 0;
  let clock: MockInstance<() => number>;
  beforeAll(() => {
    const getNow = performance.now.bind(performance);
    clock = vi.spyOn(performance, 'now').mockImplementation(() => getNow() + passedMs);
  });
  afterAll(() => clock.mockRestore());
  return {
    take: () => vi.waitUntil(() => timeouts.shift(), { timeout: 10_000 }),
    isTimerWaiting: () => timeouts.length > 0,
    pass(ms) {
      passedMs += ms;
    },
  };
}

/** Lists the numbers of votes for the question that the socket has received. */
export function listNumbers({ frames }: TestSocket, questionId: string): number[] {
  return frames
    .flatMap((frame) => (frame.type === 'events' ? frame.items : []))
    .flatMap((item) =>
      item.kind === 'question' && item.messageId === questionId ? item.question.votes : [],
    );
}

/** @returns the id of the question */
export async function ask(socket: TestSocket, classId: string, text = 'What is due?') {
  const id = randomUUID();
  const frame = { type: 'post', classId, id, text, question: true };
  expect(await socket.request(frame)).toMatchObject({ type: 'ack' });
  return id;
}

/** @returns the id of the reply */
export async function replyTo(
  socket: TestSocket,
  classId: string,
  questionId: string,
  text = '42',
) {
  const id = randomUUID();
  const frame = { type: 'post', classId, id, text, replyTo: questionId };
  expect(await socket.request(frame)).toMatchObject({ type: 'ack' });
  return id;
}

export function vote(
  socket: TestSocket,
  classId: string,
  messageId: string,
  voted = true,
): Promise<Reply> {
  return socket.request({ type: 'vote', classId, messageId, voted });
}

export function markAnswer(
  socket: TestSocket,
  classId: string,
  messageId: string,
  answerId: string | null,
  { endorsed = false } = {},
): Promise<Reply> {
  const fields = { messageId, answerId, ...(endorsed && { endorsed }) };
  return socket.request({ type: 'answer', classId, ...fields });
}

/** Marks that staff answered the question aloud. */
export function markDone(
  socket: TestSocket,
  classId: string,
  messageId: string,
  done = true,
): Promise<Reply> {
  return socket.request({ type: 'done', classId, messageId, done });
}

/** Waits until the class has published this state of the question. */
export async function waitForQuestion(
  socket: TestSocket,
  messageId: string,
  state: Partial<Question>,
): Promise<void> {
  await socket.waitFor('events', ({ items }) =>
    items.some((item) => {
      if (item.kind !== 'question' || item.messageId !== messageId) return false;
      return expect.objectContaining(state).asymmetricMatch(item.question);
    }),
  );
}

/** The questions of the class as this member sees them. */
export async function listQuestions(client: TestClient, classId: string) {
  return client.call('listQuestions', { params: { classId } });
}
