// The questions of a class. A question is a message: its schema is in entities.ts, and its frames are in socket.ts.
import { z } from 'zod';
import { classParams } from './call-fields.ts';
import { messageSchema, personaSchema, votedDigits } from './entities.ts';
import { limits } from './limits.ts';

export const questionCalls = {
  listQuestions: {
    route: 'GET /api/classes/:classId/questions',
    who: 'member',
    limit: 'historyPages',
    limitCount: 4,
    params: classParams,
    reply: z.strictObject({
      /** The newest questions, newest first. */
      questions: z.array(messageSchema).max(limits.listedQuestions),
      voted: votedDigits,
      /** The personas of the authors, of the members who reacted, and of mentioned members. */
      personas: z.array(personaSchema),
      /** Whether the class has older questions, which are not listed. */
      hasOlder: z.boolean(),
    }),
  },
} as const;
