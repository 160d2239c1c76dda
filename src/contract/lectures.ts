// The calls of a lecture: staff start and end it, and show its questions on the computer of the hall.
import { z } from 'zod';
import { classParams, emptySchema } from './call-fields.ts';
import {
  messageId,
  personaSchema,
  pollOptionsSchema,
  pollResultSchema,
  randomId,
  timeZone,
  topicSchema,
} from './entities.ts';
import { limits, pollLimits } from './limits.ts';

const lectureText = z.string().max(limits.messageText);
const topicName = topicSchema.shape.name.optional();

/** A question as the screen of the hall shows it: without its author, its time and its id. */
const presentedQuestion = z.strictObject({
  /** Distinguishes the questions of one lecture. It is no id of the class. */
  questionKey: z.string().regex(/^[\w-]{16}$/),
  questionText: lectureText,
  questionTopic: topicName,
  voteCount: z.int().min(0),
  /** A reply is marked as the answer, or staff answered the question aloud. */
  answered: z.boolean(),
  /** Staff marked it as done. */
  answeredAloud: z.boolean(),
});

/** A poll that staff asked and show on the screen of the hall: without who asked it, its times and its id. */
const presentedPoll = z.strictObject({
  /** Distinguishes the polls of one lecture. It is no id of the class. */
  pollKey: z.string().regex(/^[\w-]{16}$/),
  pollText: lectureText,
  pollOptions: pollOptionsSchema.shape.options,
  /** Members can vote. */
  pollOpen: z.boolean(),
  /** When counts appear, if there are any. */
  pollCountsAfter: pollOptionsSchema.shape.resultsAfter,
  /** What a member who has voted sees. Null if that is nothing. */
  pollCounts: z
    .strictObject({
      pollVoters: pollResultSchema.shape.voters,
      optionCounts: pollResultSchema.shape.counts,
    })
    .nullable(),
});

/** A poll or a question that staff prepared. */
export const preparedItemSchema = z.strictObject({
  /** The id of the message that opening it posts, so that it is opened once. */
  messageId,
  text: lectureText,
  /** Null for a question. */
  poll: pollOptionsSchema
    .extend({
      /** The time from its opening until it closes. 0: it closes with the lecture. */
      minutes: z.int().min(0).max(pollLimits.minutes),
    })
    .nullable(),
});
export type PreparedItem = z.infer<typeof preparedItemSchema>;

const presenterToken = z.string().regex(/^[\w-]{48}$/);
const hallCode = z.string().regex(/^\d+$/).length(limits.hallCodeDigits);

const classLetters = z
  .string()
  .regex(/^[A-Z\d]+$/)
  .length(limits.classLetters);

const waitingParams = z.strictObject({ ...classParams.shape, messageId });

export const lectureCalls = {
  startLecture: {
    route: 'POST /api/classes/:classId/lecture',
    who: 'staff',
    limit: 'edits',
    params: classParams,
    body: z
      .strictObject({
        hours: z.int().min(1).max(limits.lectureHours).optional(),
        until: z.int().optional(),
        holdsQuestions: z.boolean().optional(),
      })
      .refine(
        ({ hours, until }) => (hours === undefined) !== (until === undefined),
        'A lecture lasts either for some hours or until a time.',
      ),
    reply: emptySchema,
  },
  /** What the member of staff prepared, and whether lectures start at the hours of the class. */
  readPreparation: {
    route: 'GET /api/classes/:classId/lecture/preparation',
    who: 'staff',
    limit: 'historyPages',
    params: classParams,
    reply: z.strictObject({
      startsAtClassTime: z.boolean(),
      preparedItems: z.array(preparedItemSchema).max(limits.preparedItems),
    }),
  },
  /** Lectures start at the hours of the class, or if the zone is null, when staff start them. */
  planLectures: {
    route: 'PUT /api/classes/:classId/lecture/plan',
    who: 'staff',
    limit: 'edits',
    params: classParams,
    body: z.strictObject({ timeZone: timeZone.nullable() }),
    reply: emptySchema,
  },
  /** Stores a poll or a question that only the member of staff sees, or its new version. */
  savePrepared: {
    route: 'PUT /api/classes/:classId/lecture/prepared/:messageId',
    who: 'staff',
    limit: 'edits',
    params: z.strictObject({ ...classParams.shape, messageId }),
    body: preparedItemSchema.omit({ messageId: true }),
    reply: emptySchema,
  },
  deletePrepared: {
    route: 'DELETE /api/classes/:classId/lecture/prepared/:messageId',
    who: 'staff',
    limit: 'edits',
    params: z.strictObject({ ...classParams.shape, messageId }),
    reply: emptySchema,
  },
  endLecture: {
    route: 'DELETE /api/classes/:classId/lecture',
    who: 'staff',
    limit: 'edits',
    params: classParams,
    reply: emptySchema,
  },
  /** Whether new questions wait for release from now on. Those that wait already stay. */
  holdQuestions: {
    route: 'PUT /api/classes/:classId/lecture/hold',
    who: 'staff',
    limit: 'edits',
    params: classParams,
    body: z.strictObject({ held: z.boolean() }),
    reply: emptySchema,
  },
  /** Lists for staff the questions that wait for release, in the order in which they were asked. */
  listWaitingQuestions: {
    route: 'GET /api/classes/:classId/lecture/waiting',
    who: 'staff',
    limit: 'historyPages',
    params: classParams,
    reply: z.strictObject({
      waitingQuestions: z
        .array(
          z.strictObject({
            messageId,
            memberId: randomId,
            text: lectureText,
            topicId: randomId.optional(),
          }),
        )
        .max(limits.waitingQuestions),
      /** The personas of those who asked and who are mentioned. */
      personas: z.array(personaSchema),
    }),
  },
  /** `released` is false if the question went back, because its asker cannot write in the class. */
  releaseQuestion: {
    route: 'POST /api/classes/:classId/lecture/waiting/:messageId',
    who: 'staff',
    limit: 'edits',
    params: waitingParams,
    /** The text that staff read. The asker may have replaced it since. */
    body: z.strictObject({ text: lectureText }),
    reply: z.strictObject({ released: z.boolean() }),
  },
  /** Gives the question back to the asker. */
  returnQuestion: {
    route: 'DELETE /api/classes/:classId/lecture/waiting/:messageId',
    who: 'staff',
    limit: 'edits',
    params: waitingParams,
    reply: emptySchema,
  },
  /** The asker's own questions that wait for release, or came back. */
  listOwnWaiting: {
    route: 'GET /api/classes/:classId/waiting',
    who: 'member',
    limit: 'historyPages',
    params: classParams,
    reply: z.strictObject({
      ownWaiting: z
        .array(
          z.strictObject({
            messageId,
            text: lectureText,
            /** Staff gave it back, or its lecture is over. */
            returned: z.boolean(),
          }),
        )
        .max(limits.ownWaitingQuestions),
    }),
  },
  /** Sends a question that came back: as a message, or to wait again. */
  sendWaiting: {
    route: 'POST /api/classes/:classId/waiting/:messageId',
    who: 'member',
    limit: 'posts',
    params: waitingParams,
    reply: emptySchema,
  },
  withdrawWaiting: {
    route: 'DELETE /api/classes/:classId/waiting/:messageId',
    who: 'member',
    limit: 'edits',
    params: waitingParams,
    reply: emptySchema,
  },
  presentPoll: {
    route: 'PUT /api/classes/:classId/lecture/poll',
    who: 'staff',
    limit: 'edits',
    params: classParams,
    /** Null shows no poll any more. */
    body: z.strictObject({ messageId: messageId.nullable() }),
    reply: emptySchema,
  },
  createPresenterLink: {
    route: 'POST /api/classes/:classId/lecture/links',
    who: 'staff',
    limit: 'edits',
    params: classParams,
    /** The server stores only a hash of the token. */
    reply: z.strictObject({ presenterToken }),
  },
  /** Makes a code to type on the computer of the hall, instead of an earlier one. */
  createHallCode: {
    route: 'POST /api/classes/:classId/lecture/code',
    who: 'staff',
    limit: 'edits',
    params: classParams,
    reply: z.strictObject({ hallCode, hallCodeEndsAt: z.int() }),
  },
  /** Exchanges a code for a presenter link. It works once. */
  exchangeHallCode: {
    route: 'POST /api/presentation/code',
    who: 'anyone',
    body: z.strictObject({ hallCode }),
    reply: z.strictObject({ presenterToken }),
  },
  revokePresenterLinks: {
    route: 'DELETE /api/classes/:classId/lecture/links',
    who: 'staff',
    limit: 'edits',
    params: classParams,
    reply: emptySchema,
  },
  /** The header `presenter-token` has the token, because proxies log paths. */
  readPresentation: {
    route: 'GET /api/presentation',
    who: 'holder',
    writesReply: true,
    reply: z.strictObject({
      className: z.string(),
      courseTitle: z.string().nullable(),
      /** They lead to the class while the lecture is on. */
      classLetters,
      /** The questions without an answer come first, those with the most votes before the others. */
      presentedQuestions: z.array(presentedQuestion).max(limits.presentedQuestions),
      presentedPoll: presentedPoll.nullable(),
    }),
  },
  /** Finds the class whose hall shows these letters. */
  findLetteredClass: {
    route: 'GET /api/class-letters/:classLetters',
    who: 'account',
    limit: 'memberships',
    params: z.strictObject({ classLetters }),
    reply: z.strictObject({ classId: randomId }),
  },
  /** The questions of the last lecture, to print. */
  listLectureQuestions: {
    route: 'GET /api/classes/:classId/lecture/questions',
    who: 'reader',
    limit: 'historyPages',
    limitCount: 6,
    params: classParams,
    reply: z.strictObject({
      lectureQuestions: z
        .array(
          z.strictObject({
            text: lectureText,
            topic: topicName,
            votes: z.int().min(0),
            /** Staff answered it aloud. */
            done: z.boolean(),
            /** The texts of the marked answer and of the reply that staff endorsed, each once. */
            answerTexts: z.array(lectureText).max(2),
          }),
        )
        .max(limits.listedQuestions),
    }),
  },
} as const;
