import { z } from 'zod';
import { semesterSeasons, weekdays } from './class-fields.ts';
import {
  classSchema,
  messageSchema,
  personaSchema,
  randomId,
  schoolThemeSchema,
} from './entities.ts';
import { errors } from './errors.ts';
import { limits } from './limits.ts';
import type { RouteName } from './routes.ts';
import { isPlainLine } from './text.ts';

const line = (name: string, max: number) =>
  z
    .string(`${name} must be text.`)
    .max(max, `${name} can have at most ${max} characters.`)
    .refine(isPlainLine, `${name} holds a character that cannot be used here.`);
const email = line('Email', limits.email).min(1, 'Email is required.');
const password = z
  .string('Password must be text.')
  .min(1, 'Password is required.')
  .max(1000, 'Password is too long.')
  .refine(isPlainLine, 'Password holds a character that cannot be used here.');
const token = line('The link', 200).min(1, 'The link is incomplete.');
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^$/, 'Times are written HH:MM.');

const nothing = z.strictObject({});
const ofClass = z.strictObject({ classId: randomId });
const page = z.strictObject({
  /** Messages with a smaller seq than this. */
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(limits.historyPage).default(limits.snapshotMessages),
});

/** The body of the create call: the spec's rules about what is missing are the domain's. */
const newClassSchema = z.strictObject({
  courseName: line('Course name', limits.classField),
  subjectAbbreviation: line('Subject abbreviation', limits.classCode),
  courseNumber: line('Course number', limits.classCode),
  sectionNumber: line('Section number', limits.classCode),
  semesterSeason: z.enum([...semesterSeasons, ''], 'Please choose a season from the list.'),
  classSchedule: z
    .array(z.enum(weekdays, 'Please choose days from the list.'), 'Days must be a list.')
    .max(weekdays.length)
    .refine((days) => new Set(days).size === days.length, 'A day can be chosen once.'),
  beginClassTime: time,
  endClassTime: time,
});

/** What is left out stays. Which names and icons are right, the domain says. */
const personaChange = z
  .strictObject({
    anonymousName: z
      .string('A name must be text.')
      .max(400, errors.NAME_TOO_LONG.message)
      .optional(),
    icon: z.string('An icon must be text.').max(32, 'There is no such icon.').optional(),
  })
  .refine(
    ({ anonymousName, icon }) => (anonymousName ?? icon) !== undefined,
    'Please choose a name or an icon.',
  );

/**
 * The Algolia query call: unknown parameters are allowed and ignored, as the hosted service does
 * with those that a plan does not cover.
 */
const searchRequests = z.object({
  requests: z
    .array(
      z.object({
        indexName: z.literal('classSearch'),
        query: z.string().max(limits.searchQuery).optional(),
        page: z.int().min(0).max(99).optional(),
        params: z.string().max(4096).optional(),
      }),
    )
    .min(1)
    .max(10),
});
const hitSchema = classSchema.omit({ classId: true }).extend({ objectID: randomId });
export type SearchHit = z.infer<typeof hitSchema>;

/** What each call takes and answers. A reply has exactly these fields: the allow-list of the wire. */
export const http = {
  signUp: {
    body: z.strictObject({ email, password }),
    reply: z.strictObject({ verify: z.boolean() }),
  },
  signIn: { body: z.strictObject({ email, password }), reply: nothing },
  signOut: { reply: nothing },
  requestPasswordReset: { body: z.strictObject({ email }), reply: nothing },
  resetPassword: { body: z.strictObject({ token, newPassword: password }), reply: nothing },
  verifyEmail: { body: z.strictObject({ token }), reply: nothing },
  me: {
    reply: z.strictObject({
      account: z
        .strictObject({
          email: z.string(),
          /** The same as in the socket's welcome: what waits to be sent belongs to it. */
          key: z.string(),
        })
        .nullable(),
    }),
  },
  listClasses: { reply: z.strictObject({ classes: z.array(classSchema) }) },
  createClass: { body: newClassSchema, reply: z.strictObject({ class: classSchema }) },
  readClass: {
    params: ofClass,
    reply: z.strictObject({ class: classSchema, joined: z.boolean() }),
  },
  listMembers: {
    params: ofClass,
    reply: z.strictObject({
      me: personaSchema,
      /** Everybody who ever appeared, in the order of their ids, which are random. */
      personas: z.array(personaSchema),
    }),
  },
  changePersona: {
    params: ofClass,
    body: personaChange,
    reply: z.strictObject({ persona: personaSchema }),
  },
  joinClass: { params: ofClass, reply: z.strictObject({ class: classSchema }) },
  leaveClass: { params: ofClass, reply: nothing },
  listMessages: {
    params: ofClass,
    query: page,
    reply: z.strictObject({ messages: z.array(messageSchema), personas: z.array(personaSchema) }),
  },
  schoolTheme: {
    params: z.strictObject({ key: z.string().regex(/^[a-z0-9-]{1,63}$/i) }),
    reply: schoolThemeSchema,
  },
  searchClasses: {
    body: searchRequests,
    reply: z.strictObject({
      results: z.array(
        z.strictObject({
          index: z.string(),
          hits: z.array(hitSchema),
          nbHits: z.int(),
          page: z.int(),
          nbPages: z.int(),
          hitsPerPage: z.int(),
          query: z.string(),
          params: z.string(),
          exhaustiveNbHits: z.boolean(),
          processingTimeMS: z.int(),
        }),
      ),
    }),
  },
} as const satisfies Record<
  RouteName,
  { params?: z.ZodType; query?: z.ZodType; body?: z.ZodType; reply: z.ZodType }
>;

export type Http = typeof http;
type In<N extends RouteName, Part extends string> =
  Http[N] extends Record<Part, z.ZodType> ? z.input<Http[N][Part]> : undefined;

/** What the browser gives to a call: the parts that the call has, and no others. */
export type CallInput<N extends RouteName> = {
  [Part in 'params' | 'query' | 'body' as Part extends keyof Http[N] ? Part : never]: In<N, Part>;
};
export type CallReply<N extends RouteName> = z.output<Http[N]['reply']>;
