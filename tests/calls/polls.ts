// The calls of polls.
import { askPoll } from '#tests/support/polls.ts';
import type { pollCalls as contract } from '#contract/polls.ts';
import type { FactsOf } from './facts.ts';

export const pollCalls = {
  readPoll: {
    messageId: ({ pollId }) => pollId,
    largest: { values: ({ messageIds }) => ({ messageId: [messageIds[0]] }) },
    cost: { statements: 30, rowsRead: 14 },
  },
  closePoll: {
    outcome: 'NOT_ALLOWED',
    but: { author: 'ok' },
    in: { ended: { author: 'CLASS_ENDED' } },
    ownScene: 'forCall',
    messageId: ({ pollId }) => pollId,
    largest: { values: ({ messageIds }) => ({ messageId: [messageIds[0]] }) },
    async prepare({ caller, classId }) {
      const socket = await caller.connect();
      const pollId = await askPoll(socket, classId);
      socket.close();
      return { pollId };
    },
    cost: { rowsRead: 20, rowsWritten: 10, kilobytesWritten: 5, kilobytesSent: 6, frames: 5 },
  },
} satisfies FactsOf<typeof contract>;
