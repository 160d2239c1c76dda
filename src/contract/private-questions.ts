// Questions that only staff see. A private question is a conversation of its asker with the staff of the class. It is in no log,
// it has no time, and nothing in it, and in no other call, says which persona of the room asked it, or that two have one asker.
import { z } from 'zod';
import { classParams, emptySchema } from './call-fields.ts';
import { personaSchema, privateId } from './entities.ts';
import { limits } from './limits.ts';

/** One text of the asker or of staff. */
const privateTurnSchema = z.strictObject({
  /** Random, from the browser that wrote it. `reportMember` takes it as `messageId`. The asker's first turn has the `questionId`. */
  turnId: privateId,
  /** The staff persona that wrote it, with the name of that moment. Null: the asker wrote it. */
  turnPersona: personaSchema.nullable(),
  /** Has the markup of messages, without mentions. */
  text: z.string().max(limits.messageText),
});

/** The same for both sides. Withdrawn ones are in no list. */
const privateQuestionSchema = z.strictObject({
  questionId: privateId,
  /**
   * `open`. `asked`: staff ask whether they may publish it; only the asker decides. `agreed`, `refused`: the asker decided. Staff then
   * post an ordinary message as staff, in their own words; nothing links it to this conversation. `done`: staff closed it. A further turn
   * of either side opens it again.
   */
  state: z.enum(['open', 'asked', 'agreed', 'refused', 'done']),
  /** Oldest first. */
  turns: z.array(privateTurnSchema).max(limits.privateTurns),
});
export type PrivateQuestion = z.infer<typeof privateQuestionSchema>;

const questionParams = z.strictObject({ ...classParams.shape, questionId: privateId });
const text = z.string().max(4 * limits.messageText);

/**
 * When something changed, all browsers that have the class open get the frame `privateChanged` at a random moment within a minute, those
 * of classmates too. Each then calls `listOwnPrivate`, whether or not it has a question, and those of staff `listPrivateQuestions` too:
 * otherwise an observer of the network could tell who asks.
 */
export const privateQuestionCalls = {
  /**
   * The browser chooses the id. Repeating the call with the same id changes nothing, also after the question was answered or withdrawn:
   * it neither asks again nor fails. The id of another question or turn: ID_CONFLICT.
   *
   * Errors: MESSAGE_EMPTY, MESSAGE_TOO_LONG, MUTED, READ_ONLY (with the reason QUIET_TIME), CLASS_ENDED, NO_STAFF, and TOO_MANY_WAITING
   * with the reason TOO_MANY_PRIVATE (of the asker) or CLASS_PRIVATE_FULL (of the class).
   */
  askPrivately: {
    route: 'PUT /api/classes/:classId/private-questions/:questionId',
    who: 'member',
    limit: 'privateTexts',
    params: questionParams,
    body: z.strictObject({ text }),
    reply: emptySchema,
  },
  /**
   * Adds a turn, of the asker or as staff, also in a class that has ended. Repeating the call with the same `turnId` changes nothing.
   *
   * Errors: as above, STAFF_VOICE_ENDED, NOT_FOUND (also after it was withdrawn), and TOO_MANY_WAITING with the reason
   * TOO_MANY_TURNS, TOO_MANY_UNANSWERED (the asker wrote the last three) or, if the turn would open it again, one of the above.
   */
  addPrivateTurn: {
    route: 'PUT /api/classes/:classId/private-questions/:questionId/turns/:turnId',
    who: 'member',
    limit: 'privateTexts',
    params: z.strictObject({ ...questionParams.shape, turnId: privateId }),
    body: z.strictObject({ text, asStaff: z.boolean() }),
    reply: emptySchema,
  },
  /** The asker's own ones, newest first. Every reply has the same size until the conversations are long. */
  listOwnPrivate: {
    route: 'GET /api/classes/:classId/own-private-questions',
    who: 'member',
    limit: 'historyPages',
    paddedBytes: 8192, // PRIV-6
    params: classParams,
    reply: z.strictObject({
      ownPrivate: z.array(privateQuestionSchema).max(limits.ownPrivateQuestions),
      /** Whether the class has someone who can answer. Otherwise the app does not offer to ask. */
      hasStaff: z.boolean(),
    }),
  },
  /** All of the class, for those who speak as staff there: first the ones that are not done, oldest first; then done ones, newest first. */
  listPrivateQuestions: {
    route: 'GET /api/classes/:classId/private-questions',
    who: 'speaker',
    limit: 'historyPages',
    paddedBytes: 8192, // PRIV-6
    params: classParams,
    reply: z.strictObject({
      privateQuestions: z.array(privateQuestionSchema).max(limits.privateQuestions),
    }),
  },
  /** Staff close it, open it again, or ask whether they may publish it (which does not change `agreed`). NOT_FOUND if it is withdrawn. */
  setPrivateState: {
    route: 'PUT /api/classes/:classId/private-questions/:questionId/state',
    who: 'speaker',
    limit: 'edits',
    params: questionParams,
    body: z.strictObject({ state: z.enum(['open', 'asked', 'done']) }),
    reply: emptySchema,
  },
  /** The asker decides, and can change the decision until staff change the state. NOT_FOUND if staff do not ask (any more). */
  decidePublication: {
    route: 'PUT /api/classes/:classId/private-questions/:questionId/publication',
    who: 'member',
    // Each change makes all browsers of the class read their lists.
    limit: 'privateTexts',
    params: questionParams,
    body: z.strictObject({ agreed: z.boolean() }),
    reply: emptySchema,
  },
  /** The asker erases all texts of both sides. If it is gone, nothing changes. */
  withdrawPrivate: {
    route: 'DELETE /api/classes/:classId/private-questions/:questionId',
    who: 'member',
    limit: 'edits',
    params: questionParams,
    reply: emptySchema,
  },
} as const;
