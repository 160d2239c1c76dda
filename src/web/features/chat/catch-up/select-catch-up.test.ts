import { expect, test } from 'vitest';
import type { Message, Persona, Question } from '#contract/entities.ts';
import type { RoomMessage, RoomView } from '#web/sync/room/room.ts';
import { plainMessage } from '#web/sync/testing/plain-message.ts';
import { isLongAbsence, selectCatchUp } from './select-catch-up.ts';

const afterSeq = 100;
const hourMs = 60 * 60 * 1000;

function createMessage(id: string, seq: number, fields: Partial<Message> = {}): Message {
  return { ...plainMessage, id, seq, ...fields };
}

function createQuestion(id: string, seq: number, marks: Partial<Question>, memberId = 'ben') {
  const question = { votes: 0, answer: null, endorsed: null, ...marks };
  return createMessage(id, seq, { memberId, question });
}

function createAnswer(messageId: string): Question['answer'] {
  const quote = { memberId: 'cem', anonymousName: 'Owl', text: '42', imageCount: 0 };
  return { messageId, quote };
}

interface Situation {
  messages?: Message[];
  questions?: Message[];
  pins?: string[];
  ignored?: string[];
  hidden?: string[];
}

function select({ messages = [], questions = [], ...situation }: Situation): string[] {
  const { pins = [], ignored = [], hidden = [] } = situation;
  const lee: Persona = { memberId: 'lee', anonymousName: 'Prof. Lee', icon: 'lee', staff: true };
  const view = {
    messages: messages as unknown as RoomMessage[],
    personas: new Map([['lee', lee]]),
    preferences: { ignored: new Set(ignored), hidden: new Set(hidden), muted: false },
    settings: { pins } as unknown as RoomView['settings'],
    me: 'ada',
    staff: null,
  };
  const lines = selectCatchUp(view, questions, afterSeq);
  return lines.map(({ group, message: { id } }) => `${group}: ${id}`);
}

test('a member is away for long after a day, or with more than fifty unread messages [CATCH-1]', () => {
  const read = { seq: 100, createdAt: 0 };
  const unread = { seq: 101, createdAt: 23 * hourMs };
  const check = (count: number, now: number, messages = [read, unread]) =>
    isLongAbsence({ afterSeq, count }, messages, now);

  expect(check(50, 23 * hourMs)).toBe(false);
  expect(check(51, 23 * hourMs)).toBe(true);
  expect(check(1, 24 * hourMs)).toBe(true);
  expect(check(1, 24 * hourMs, [unread])).toBe(false);
});

test('the questions that were answered since are named, the member’s own first [CATCH-2]', () => {
  const lines = select({
    messages: [createMessage('old reply', 99), createMessage('new reply', 101)],
    questions: [
      createQuestion('new', 102, { votes: 3, endorsed: createAnswer('not held') }),
      createQuestion('old', 50, { votes: 9, answer: createAnswer('new reply') }),
      createQuestion('answered before', 49, { votes: 9, answer: createAnswer('old reply') }),
      createQuestion('mine', 48, { answer: createAnswer('new reply') }, 'ada'),
    ],
  });

  expect(lines).toEqual(['answered: mine', 'answered: old', 'answered: new']);
});

test('at most three open questions of others are named, those with the most votes first [CATCH-2]', () => {
  const lines = select({
    questions: [
      createQuestion('mine', 104, { votes: 9 }, 'ada'),
      createQuestion('new', 103, {}),
      createQuestion('newer and wanted', 102, { votes: 2 }),
      createQuestion('old and wanted', 50, { votes: 5 }),
      createQuestion('old', 49, {}),
    ],
  });
  expect(lines).toEqual([
    'unanswered: old and wanted',
    'unanswered: newer and wanted',
    'unanswered: new',
  ]);

  const questions = [1, 2, 3, 4].map((votes) => createQuestion(`${votes}`, 50, { votes }));
  expect(select({ questions })).toEqual(['unanswered: 4', 'unanswered: 3', 'unanswered: 2']);
});

test('new messages that are pinned or from staff are named once, the newest first [CATCH-2]', () => {
  const lines = select({
    pins: ['old pin', 'pin', 'pinned question'],
    questions: [createQuestion('pinned question', 104, {}, 'lee')],
    messages: [
      createMessage('old pin', 99),
      createMessage('news', 101, { memberId: 'lee' }),
      createMessage('pin', 102, { memberId: 'lee' }),
      createMessage('reply', 103, { memberId: 'lee', replyTo: 'news' }),
      createQuestion('pinned question', 104, {}, 'lee'),
      createMessage('other news', 105, { memberId: 'lee' }),
    ],
  });

  expect(lines).toEqual([
    'unanswered: pinned question',
    'pinned: pin',
    'staff: other news',
    'staff: news',
  ]);
});

test('ignored people, and messages that are hidden or removed, have no line [CATCH-2]', () => {
  const lines = select({
    pins: ['hidden by me', 'hidden', 'removed'],
    ignored: ['ben'],
    hidden: ['hidden by me'],
    questions: [createQuestion('ignored', 101, {})],
    messages: [
      createMessage('hidden by me', 101, { memberId: 'cem' }),
      createMessage('hidden', 102, { memberId: 'cem', moderation: 'hidden' }),
      createMessage('removed', 103, { memberId: 'cem', moderation: 'removed' }),
    ],
  });

  expect(lines).toEqual([]);
});
