// Classes as members see them: joining, members, history, settings, preferences.
import { z } from 'zod';
import { createLineSchema, emptySchema, classParams } from './call-fields.ts';
import { semesterSeasons, weekdays } from './class-fields.ts';
import {
  classSchema,
  classSettingsSchema,
  messageId,
  messageSchema,
  personaSchema,
  quietTimeSchema,
  randomId,
  sanctionBytes,
  sanctionSchema,
  votedDigits,
} from './entities.ts';
import type { ErrorReason } from './errors.ts';
import { limits } from './limits.ts';
import { savedPreferencesSchema } from './preferences.ts';
import { findQuietTimeProblem, type QuietTime } from './quiet-times.ts';
import { isPlainText } from './text.ts';

const createTextSchema = (name: string) =>
  z
    .string(`${name} must be text.`)
    .max(limits.classText, `${name} can have at most 2,000 characters.`)
    .refine(isPlainText, `${name} contains a character that is not allowed.`);

const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^$/, 'Please enter times as HH:MM.');

const page = z
  .strictObject({
    /** Selects the newest messages with a smaller seq. */
    before: z.coerce.number().int().min(1).optional(),
    /** Selects the oldest messages with a larger seq. */
    after: z.coerce.number().int().min(0).optional(),
    /** Selects the messages around this message. */
    around: messageId.optional(),
    /** Selects the oldest messages since this time, in milliseconds since 1970. */
    since: z.coerce.number().int().min(0).optional(),
    /** Selects only messages of this topic. */
    topicId: randomId.optional(),
    limit: z.coerce.number().int().min(1).max(limits.historyPage).default(limits.snapshotMessages),
  })
  .refine(
    ({ before, after, around, since }) =>
      [before, after, around, since].filter((value) => value !== undefined).length <= 1,
    'Please choose one of before, after, around and since.',
  );

/** The body of the create call. The domain checks which fields are missing. */
export const newClassSchema = z.strictObject({
  courseName: createLineSchema('Course name', limits.classField),
  subjectAbbreviation: createLineSchema('Subject abbreviation', limits.classCode),
  courseNumber: createLineSchema('Course number', limits.classCode),
  sectionNumber: createLineSchema('Section number', limits.classCode),
  semesterSeason: z.enum([...semesterSeasons, ''], 'Please choose a season from the list.'),
  classSchedule: z
    .array(z.enum(weekdays, 'Please choose days from the list.'), 'Days must be a list.')
    .max(weekdays.length)
    .refine((days) => new Set(days).size === days.length, 'Please choose each day only once.'),
  beginClassTime: time,
  endClassTime: time,
});

/** Omitted fields do not change. The domain validates names and icons. */
const personaChange = z
  .strictObject({
    anonymousName: z
      .string('A name must be text.')
      .max(400, 'A name can have at most 30 characters.')
      .optional(),
    icon: z.string('An icon must be text.').max(32, 'There is no such icon.').optional(),
  })
  .refine(
    ({ anonymousName, icon }) => (anonymousName ?? icon) !== undefined,
    'Please choose a name or an icon.',
  );

/** Omitted fields do not change. The domain checks texts and pins. */
const settingsChange = z.strictObject({
  /** The version that the change starts from. */
  version: z.int().min(0),
  slowModeSeconds: z
    .int('Slow mode must be a number of seconds.')
    .min(0, 'Slow mode must be a number of seconds.')
    .max(limits.slowMode, 'Slow mode can have at most one hour.')
    .optional(),
  readOnly: z.boolean().optional(),
  picturesOff: z.boolean().optional(),
  description: createTextSchema('A description').optional(),
  rules: createTextSchema('Rules').optional(),
  pins: z
    .array(messageId)
    .max(limits.pins, 'TOO_MANY_PINS' satisfies ErrorReason)
    .refine((pins) => new Set(pins).size === pins.length, 'A message can be pinned only once.')
    .optional(),
  quietTimes: z
    .array(
      quietTimeSchema.refine((quietTime) => findQuietTimeProblem(quietTime) === null, {
        error: ({ input }) => findQuietTimeProblem(input as QuietTime) ?? undefined,
      }),
    )
    .max(limits.quietTimes, 'TOO_MANY_QUIET_TIMES' satisfies ErrorReason)
    .optional(),
});
export type SettingsChange = z.infer<typeof settingsChange>;

export const classCalls = {
  listClasses: {
    route: 'GET /api/classes',
    who: 'account',
    reply: z.strictObject({ classes: z.array(classSchema) }),
  },
  createClass: {
    route: 'POST /api/classes',
    who: 'account',
    limit: 'newClasses',
    /** Without `noFixedHours`, the class needs days and times. */
    body: newClassSchema.extend({ noFixedHours: z.boolean().optional() }),
    reply: z.strictObject({ class: classSchema }),
  },
  readClass: {
    route: 'GET /api/classes/:classId',
    who: 'account',
    paddedBytes: sanctionBytes,
    params: classParams,
    reply: z.strictObject({
      class: classSchema,
      joined: z.boolean(),
      /** What moderators decided about the viewer. After a removal, the viewer cannot join. */
      sanction: sanctionSchema.nullable(),
      /** The class into which operators merged this one as a duplicate. */
      continuesIn: classSchema.nullable(),
      ...classSettingsSchema.pick({ description: true, rules: true }).shape,
    }),
  },
  readClassSettings: {
    route: 'GET /api/classes/:classId/settings',
    who: 'reader',
    limit: 'historyPages',
    params: classParams,
    reply: z.strictObject({
      settings: classSettingsSchema,
      /** The pinned messages, in order, and the personas that they show. */
      messages: z.array(messageSchema),
      personas: z.array(personaSchema),
    }),
  },
  changeClassSettings: {
    route: 'PATCH /api/classes/:classId/settings',
    who: 'moderator',
    limit: 'edits',
    params: classParams,
    body: settingsChange,
    reply: z.strictObject({ settings: classSettingsSchema }),
  },
  listMembers: {
    route: 'GET /api/classes/:classId/members',
    who: 'member',
    limit: 'historyPages',
    params: classParams,
    query: z.strictObject({
      /** Selects personas with a larger memberId: `nextAfter` of the previous page. */
      afterMemberId: randomId.optional(),
    }),
    reply: z.strictObject({
      me: personaSchema,
      /** The next personas that ever appeared in the class, ordered by their random ids. */
      personas: z.array(personaSchema),
      nextAfter: randomId.nullable(),
    }),
  },
  changePersona: {
    route: 'PATCH /api/classes/:classId/persona',
    who: 'member',
    limit: 'edits',
    params: classParams,
    body: personaChange,
    reply: z.strictObject({ persona: personaSchema }),
  },
  joinClass: {
    route: 'PUT /api/classes/:classId/membership',
    who: 'account',
    limit: 'memberships',
    params: classParams,
    reply: z.strictObject({ class: classSchema }),
  },
  leaveClass: {
    route: 'DELETE /api/classes/:classId/membership',
    who: 'account',
    limit: 'memberships',
    params: classParams,
    reply: emptySchema,
  },
  listMessages: {
    route: 'GET /api/classes/:classId/messages',
    who: 'member',
    limit: 'historyPages',
    params: classParams,
    query: page,
    reply: z.strictObject({
      messages: z.array(messageSchema),
      personas: z.array(personaSchema),
      /** Whether the history has messages older than this page. */
      hasOlder: z.boolean(),
      /** Whether the history has messages newer than this page. */
      hasNewer: z.boolean(),
      voted: votedDigits,
    }),
  },
  readPreferences: {
    route: 'GET /api/classes/:classId/preferences',
    who: 'member',
    params: classParams,
    reply: savedPreferencesSchema,
  },
  savePreferences: {
    route: 'PUT /api/classes/:classId/preferences',
    who: 'member',
    limit: 'edits',
    params: classParams,
    /** `version` is the one that the change is based on. */
    body: savedPreferencesSchema,
    reply: savedPreferencesSchema,
  },
} as const;
