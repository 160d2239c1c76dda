// The calls of a lecture: staff start and end it, and show its questions on the computer of the hall.
import { z } from 'zod';
import { classParams, emptySchema } from './call-fields.ts';
import { limits } from './limits.ts';

const lectureText = z.string().max(limits.messageText);

/** A question as the screen of the hall shows it: without its author, its time and its id. */
const presentedQuestion = z.strictObject({
  /** Distinguishes the questions of one link. It is no id of the class. */
  questionKey: z.string().regex(/^[\w-]{16}$/),
  questionText: lectureText,
  voteCount: z.int().min(0),
  /** A reply is marked as the answer, or staff answered the question aloud. */
  answered: z.boolean(),
});

export const lectureCalls = {
  startLecture: {
    params: classParams,
    body: z.strictObject({
      hours: z.int().min(1).max(limits.lectureHours),
    }),
    reply: emptySchema,
  },
  endLecture: { params: classParams, reply: emptySchema },
  createPresenterLink: {
    params: classParams,
    /** The server stores only a hash of the token. */
    reply: z.strictObject({ presenterToken: z.string().regex(/^[\w-]{48}$/) }),
  },
  revokePresenterLinks: { params: classParams, reply: emptySchema },
  /** The header `presenter-token` has the token, because proxies log paths. */
  readPresentation: {
    reply: z.strictObject({
      className: z.string(),
      /** The questions without an answer come first, those with the most votes before the others. */
      presentedQuestions: z.array(presentedQuestion).max(limits.presentedQuestions),
    }),
  },
  /** The questions of the last lecture, to print. */
  listLectureQuestions: {
    params: classParams,
    reply: z.strictObject({
      lectureQuestions: z
        .array(
          z.strictObject({
            text: lectureText,
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
