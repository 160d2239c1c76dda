// What the tests know about each frame that a browser sends.
import { randomUUID } from 'node:crypto';
import type { ClientFrame } from '#contract/socket.ts';
import { askPoll } from '#tests/support/polls.ts';
import { ask, replyTo } from '#tests/support/questions.ts';
import { costOfPost, type FrameFacts } from './facts.ts';

export const frames: {
  [Type in ClientFrame['type']]: FrameFacts<Extract<ClientFrame, { type: Type }>>;
} = {
  subscribe: {
    who: 'member',
    rejection: 'NOT_FOUND',
    outcome: 'room',
    frame: ({ classId }, rid) => ({ type: 'subscribe', rid, classId }),
    changesNothing: 'It stores nothing.',
    largest: { by: 'subscriber' },
    cost: {
      statements: 18,
      rowsRead: 1300,
      rowsWritten: 4,
      kilobytesWritten: 1,
      kilobytesSent: 50,
      frames: 4,
    },
  },
  unsubscribe: {
    who: 'account',
    rejection: 'silence',
    outcome: 'silence',
    frame: ({ classId }) => ({ type: 'unsubscribe', classId }),
    changesNothing: 'It stores nothing.',
    order: 'late',
    largest: { by: 'subscriber' },
    cost: {
      statements: 8,
      rowsRead: 8,
      rowsWritten: 4,
      kilobytesWritten: 1,
      kilobytesSent: 1,
      frames: 2,
    },
  },
  post: {
    who: 'member',
    rejection: 'NOT_FOUND',
    outcome: 'ack',
    but: { muted: 'MUTED' },
    in: { ended: 'CLASS_ENDED', quiet: 'READ_ONLY' },
    frame: ({ classId }, rid) => ({
      type: 'post',
      rid,
      classId,
      id: randomUUID(),
      text: 'a new one',
    }),
    largest: { values: ({ texts }) => ({ text: texts, question: [undefined] }) },
    cost: costOfPost,
    inADay: { rows: 90000, megabytes: 60 },
  },
  edit: {
    who: 'member',
    rejection: 'NOT_FOUND',
    outcome: 'NOT_YOURS_TO_EDIT',
    but: { author: 'ack' },
    in: {
      quiet: { author: 'READ_ONLY' },
      ended: { author: 'CLASS_ENDED' },
    },
    frame: (ids, rid) => ({ type: 'edit', rid, ...ids, text: `another text ${rid}` }),
    largest: { values: ({ texts }) => ({ text: texts }) },
    cost: costOfPost,
    inADay: { rows: 90000, megabytes: 40 },
  },
  delete: {
    who: 'member',
    rejection: 'NOT_FOUND',
    outcome: 'NOT_YOUR_MESSAGE',
    but: { author: 'ack' },
    in: { ended: { author: 'CLASS_ENDED' } },
    ownScene: 'forCall',
    frame: (ids, rid) => ({ type: 'delete', rid, ...ids }),
    order: 'late',
    cost: { rowsRead: 40, rowsWritten: 40, frames: 5 },
  },
  react: {
    who: 'member',
    rejection: 'NOT_FOUND',
    outcome: 'ack',
    but: { author: 'OWN_REACTION', muted: 'MUTED' },
    in: {
      quiet: { member: 'READ_ONLY' },
      ended: { member: 'CLASS_ENDED' },
      withoutLinks: 'CLASS_ENDED',
    },
    frame: (ids, rid) => ({ type: 'react', rid, ...ids, emoji: '👍' }),
    largest: { values: ({ findOthersMessage }) => ({ messageId: () => [findOthersMessage()] }) },
    prepare: async ({ ben, classId }) => ({ messageId: (await ben.post(classId, 'Of Ben')).id }),
    inADay: { rows: 260000, megabytes: 15 },
  },
  vote: {
    who: 'member',
    rejection: 'NOT_FOUND',
    outcome: 'ack',
    but: { author: 'OWN_QUESTION', muted: 'MUTED' },
    in: {
      quiet: { member: 'READ_ONLY' },
      ended: { member: 'CLASS_ENDED' },
      withoutLinks: 'CLASS_ENDED',
    },
    frame: (ids, rid) => ({ type: 'vote', rid, ...ids, voted: true }),
    largest: { values: ({ findOthersMessage }) => ({ messageId: () => [findOthersMessage()] }) },
    inADay: { rows: 260000, megabytes: 15 },
  },
  choose: {
    who: 'member',
    rejection: 'NOT_FOUND',
    outcome: 'ack',
    but: { muted: 'MUTED' },
    in: { ended: 'CLASS_ENDED', quiet: 'READ_ONLY' },
    frame: (ids, rid) => ({ type: 'choose', rid, ...ids, choices: [0] }),
    largest: { values: ({ othersMessages }) => ({ messageId: [othersMessages[0]?.id] }) },
    async prepare({ ben, classId }) {
      const socket = await ben.connect();
      const messageId = await askPoll(socket, classId, { resultsAfter: 'closing' });
      socket.close();
      return { messageId };
    },
    inADay: { rows: 260000, megabytes: 15 },
  },
  answer: {
    who: 'member',
    rejection: 'NOT_FOUND',
    outcome: 'NOT_ALLOWED',
    but: { author: 'ack' },
    frame: ({ answerId = null, ...ids }, rid) => ({ type: 'answer', rid, ...ids, answerId }),
    async prepare({ ada, classId }) {
      const socket = await ada.connect();
      const messageId = await ask(socket, classId);
      const answerId = await replyTo(socket, classId, messageId);
      socket.close();
      return { messageId, answerId };
    },
  },
  done: {
    who: 'member',
    rejection: 'NOT_FOUND',
    outcome: 'NOT_ALLOWED',
    frame: (ids, rid) => ({ type: 'done', rid, ...ids, done: true }),
    largest: { by: 'operator' },
    // The personas of the marked reply's quote come with it.
    cost: { rowsRead: 30, kilobytesSent: 4 },
  },
  read: {
    who: 'account',
    rejection: 'silence',
    outcome: 'silence',
    frame: ({ classId }) => ({ type: 'read', classId, seq: 1 }),
    changesNothing: 'It is stored some seconds later, and may be lost.',
    cost: { statements: 8, rowsRead: 8, rowsWritten: 4, kilobytesWritten: 1, frames: 3 },
  },
  typing: {
    who: 'member',
    rejection: 'silence',
    outcome: 'heard',
    but: { muted: 'silence' },
    in: { quiet: 'silence' },
    ownScene: 'forPerson',
    frame: ({ classId }) => ({ type: 'typing', classId }),
    changesNothing: 'It stores nothing.',
    cost: { statements: 8, rowsRead: 8, rowsWritten: 4, kilobytesWritten: 1, frames: 4 },
  },
  viewing: {
    who: 'account',
    rejection: 'silence',
    outcome: 'silence',
    frame: ({ classId }) => ({ type: 'viewing', classId, inView: true }),
    changesNothing: 'It stores nothing.',
    cost: {
      statements: 8,
      rowsRead: 8,
      rowsWritten: 4,
      kilobytesWritten: 1,
      kilobytesSent: 1,
      frames: 2,
    },
  },
};
export const frameTypes = Object.keys(frames) as ClientFrame['type'][];
