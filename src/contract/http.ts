import { z } from 'zod';
import { semesterSeasons, weekdays } from './class-fields.ts';
import { accountExportSchema, deviceId, deviceSchema } from './account.ts';
import {
  classSchema,
  imageUrl,
  messageSchema,
  personaSchema,
  pictureSchema,
  randomId,
  schoolThemeSchema,
  storagePath,
} from './entities.ts';
import { errors } from './errors.ts';
import { limits } from './limits.ts';
import type { RouteName } from './routes.ts';
import { searchReply, type SearchRequest } from './search.ts';
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
const token = line('The link', 1000).min(1, 'The link is incomplete.');
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^$/, 'Times are written HH:MM.');

const nothing = z.strictObject({});
const ofClass = z.strictObject({ classId: randomId });
const page = z.strictObject({
  /** Selects messages with a smaller seq. */
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(limits.historyPage).default(limits.snapshotMessages),
});

/** The body of the create call. The domain checks which fields are missing. */
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

/** Omitted fields do not change. The domain validates names and icons. */
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

/** The server's Algolia parser validates these requests, because errors must have Algolia's format. */
const searchRequests = z.custom<{ requests: SearchRequest[] }>();

/**
 * The request and reply schemas of each call. They are allow-lists: a reply has exactly these fields.
 */
export const http = {
  signUp: {
    body: z.strictObject({ email, password }),
    reply: z.strictObject({ verify: z.boolean() }),
  },
  signIn: { body: z.strictObject({ email, password }), reply: nothing },
  signOut: { reply: nothing },
  requestPasswordReset: { body: z.strictObject({ email }), reply: nothing },
  resetPassword: { body: z.strictObject({ token, newPassword: password }), reply: nothing },
  verifyEmail: { body: z.strictObject({ token, password }), reply: nothing },
  me: {
    reply: z.strictObject({
      account: z
        .strictObject({
          email: z.string(),
          /** The same key as in the socket's welcome. The browser stores unsent messages under it. */
          key: z.string(),
        })
        .nullable(),
    }),
  },
  listDevices: { reply: z.strictObject({ devices: z.array(deviceSchema) }) },
  signOutOtherDevices: { reply: nothing },
  signOutDevice: { params: z.strictObject({ deviceId }), reply: nothing },
  changePassword: {
    body: z.strictObject({ currentPassword: password, newPassword: password }),
    reply: nothing,
  },
  exportAccount: { reply: accountExportSchema },
  deleteAccount: {
    body: z.strictObject({
      password,
      messages: z.enum(['keep', 'delete'], 'Please choose what happens to your messages.'),
    }),
    reply: nothing,
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
      /** All personas that ever appeared in the class, ordered by their random ids. */
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
    reply: z.strictObject({
      messages: z.array(messageSchema),
      personas: z.array(personaSchema),
      /** Whether the history has messages older than this page. */
      hasOlder: z.boolean(),
    }),
  },
  uploadImage: {
    params: ofClass,
    reply: z.strictObject({
      /** For the `post` frame, within an hour, or for the call that deletes the image. */
      imageId: randomId,
      imageUrl,
      storagePath,
      ...pictureSchema.omit({ alt: true }).shape,
    }),
  },
  /** Deletes the account's own unsent image. A missing image is ignored. */
  deleteImage: { params: z.strictObject({ classId: randomId, imageId: randomId }), reply: nothing },
  schoolTheme: {
    params: z.strictObject({ key: z.string().regex(/^[a-z0-9-]{1,63}$/i) }),
    reply: schoolThemeSchema,
  },
  searchAccess: {
    /** Credentials for the hosted search index. The key is valid for one day. */
    reply: z.strictObject({ applicationId: z.string(), key: z.string() }),
  },
  searchClasses: {
    body: searchRequests,
    reply: searchReply,
  },
} as const satisfies Record<
  RouteName,
  { params?: z.ZodType; query?: z.ZodType; body?: z.ZodType; reply: z.ZodType }
>;

export type Http = typeof http;
type In<N extends RouteName, Part extends string> =
  Http[N] extends Record<Part, z.ZodType> ? z.input<Http[N][Part]> : undefined;

/** The input of a call: only the parts that the call has. */
export type CallInput<N extends RouteName> = {
  [Part in 'params' | 'query' | 'body' as Part extends keyof Http[N] ? Part : never]: In<N, Part>;
};
export type CallReply<N extends RouteName> = z.output<Http[N]['reply']>;
