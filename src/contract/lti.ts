// Launches from learning platforms by LTI 1.3. A launch says which course it is, and never who comes.
import { z } from 'zod';
import { createLineSchema, emptySchema } from './call-fields.ts';
import { classCalls } from './classes.ts';
import { classSchema, randomId } from './entities.ts';
import { limits } from './limits.ts';

/** A learning platform sends browsers to these two, from its own origin. */
export const ltiLoginPath = '/lti/login';
export const ltiLaunchPath = '/lti/launch';

/** What a platform reads or frames: the keys of this site, the target of deep linking, and its answer. */
export const ltiKeysPath = '/lti/keys';
export const ltiPickPath = '/lti/pick';
export const ltiAnswerPath = '/lti/answer';
/** Followed by the token of an operator's link. */
export const ltiRegistrationPath = '/lti/register';

/** The page of the course that this browser opened last. */
export const coursePath = '/course';

/** A browser can show several courses, but its cookie has the one that it opened last: what a page links must be the course it shows. */
const courseParams = z.strictObject({ courseId: randomId });

export const ltiCalls = {
  readCourse: {
    route: 'GET /api/course',
    who: 'account',
    reply: z.strictObject({
      /** Null if this browser has opened none, or too long ago. */
      course: z
        .strictObject({
          courseId: randomId,
          courseTitle: z.string(),
          courseLabel: z.string(),
          isInstructor: z.boolean(),
          /** The course is the copy of one that had a class. */
          isCopy: z.boolean(),
          /** Instructors become staff of the class of their course without a confirmation. */
          grantsStaff: z.boolean(),
          linkedClass: classSchema.nullable(),
          /** The platform waits for the link of the class. `answerUrl` sends it, or a frame of the platform does if it is null. */
          picking: z.strictObject({ answerUrl: z.string().nullable() }).nullable(),
          /** Whether the caller is staff of the linked class, or has asked to be staff of a class for this course. */
          staffState: z.enum(['none', 'proposed', 'rejected', 'staff']),
        })
        .nullable(),
    }),
  },
  /** Links a class of which the caller is staff. Otherwise it asks for both: to be its staff, and to link it. */
  linkCourse: {
    route: 'PUT /api/course/:courseId/class',
    who: 'account',
    factor: 'duty',
    limit: 'grants',
    params: courseParams,
    body: z.strictObject({
      classId: randomId,
      /** The name for which the caller asks. */
      staffName: createLineSchema('The name', 4 * limits.staffName),
    }),
    reply: emptySchema,
  },
  createCourseClass: {
    route: 'POST /api/course/:courseId/class',
    who: 'account',
    limit: 'newClasses',
    params: courseParams,
    body: classCalls.createClass.body,
    reply: classCalls.createClass.reply,
  },
  /** Those that the caller can confirm. */
  listProposals: {
    route: 'GET /api/proposals',
    who: 'account',
    reply: z.strictObject({
      proposals: z.array(
        z.strictObject({
          roleId: randomId,
          label: z.string(),
          /** The name that the class would see. */
          staffName: z.string(),
          /** What the platform calls the course of which it says that they are an instructor. */
          courseTitle: z.string(),
        }),
      ),
    }),
  },
  decideProposal: {
    route: 'POST /api/proposals/:roleId',
    who: 'account',
    factor: 'duty',
    limit: 'grants',
    params: z.strictObject({ roleId: randomId }),
    body: z.strictObject({ accept: z.boolean() }),
    reply: emptySchema,
  },
} as const;
