// The polls of a class. A poll is a message: its schema is in entities.ts, and its frames are in socket.ts.
import { z } from 'zod';
import { emptySchema } from './call-fields.ts';
import { messageId, pollChoices, pollResultSchema, randomId } from './entities.ts';

const pollParams = z.strictObject({ classId: randomId, messageId });

export const pollCalls = {
  readPoll: {
    route: 'GET /api/classes/:classId/polls/:messageId',
    who: 'member',
    limit: 'historyPages',
    params: pollParams,
    reply: z.strictObject({
      /** The viewer's own vote; empty without one, and after the poll has closed. */
      choices: pollChoices,
      /** Null if the viewer may not see it yet, or if fewer than five have voted. */
      result: pollResultSchema.nullable(),
    }),
  },
  /** Closes the poll before its time. */
  closePoll: {
    route: 'POST /api/classes/:classId/polls/:messageId/closing',
    who: 'member',
    limit: 'edits',
    params: pollParams,
    reply: emptySchema,
  },
} as const;
