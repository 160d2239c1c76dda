// Data that only the account's owner sees.
import { z } from 'zod';
import { day, email, emptySchema, password, passwordIfAny, token } from './call-fields.ts';
import {
  emojiSchema,
  messageId,
  messageSchema,
  personaSchema,
  pictureSchema,
  pollChoices,
  pollOptionsSchema,
  randomId,
} from './entities.ts';
import { limits } from './limits.ts';
import { preparedItemSchema } from './lectures.ts';
import { ownReportSchema, ownSanctionSchema, roleSchema } from './moderation.ts';
import { digestSchema, notificationSettingsSchema, notifyChoice } from './notifications.ts';
import { preferencesSchema } from './preferences.ts';

/** The id of one sign-in. It becomes invalid when that session ends. */
const deviceId = z.string().regex(/^[\w-]{16,64}$/);

export const deviceSchema = z.strictObject({
  deviceId,
  /** Browser and system, for example 'Chrome on Windows'. The server stores nothing else about the browser. */
  name: z.string(),
  signedInDay: day,
  /** Whether this device sent the request. */
  current: z.boolean(),
  /** Whether the device gets notifications. */
  notified: z.boolean(),
});
export type Device = z.infer<typeof deviceSchema>;

/** The member's own message, without anything that others did with it. */
export const exportedMessageSchema = messageSchema
  .pick({ id: true, text: true, createdAt: true, editedAt: true, replyTo: true })
  .extend({
    /** Written as staff. */
    staff: z.literal(true).optional(),
    /** The name of its topic. */
    topic: z.string().optional(),
    /** Asked as a question. */
    question: z.literal(true).optional(),
    /** Asked as a poll. */
    poll: pollOptionsSchema.optional(),
    images: z.array(pictureSchema.pick({ imageUrl: true, pdfUrl: true, alt: true })),
  });

export const exportedReactionSchema = z.strictObject({ messageId: z.string(), emoji: emojiSchema });

/** A report that the account sent. */
export const exportedReportSchema = ownReportSchema.extend({ text: z.string() });

/** What moderators decided about the account's persona, or about its staff persona. */
export const exportedSanctionSchema = ownSanctionSchema.omit({
  sanctionId: true,
  classId: true,
  label: true,
});

/** A class that the account is in, or wrote in before it left. */
export const exportedClassSchema = z.strictObject({
  classId: randomId,
  label: z.string(),
  /** Null if the account has left the class. */
  joinedDay: day.nullable(),
  /** Null until the first message or reaction. */
  persona: personaSchema.nullable(),
  /** Null unless the account wrote as staff. */
  staffPersona: personaSchema.nullable(),
  preferences: preferencesSchema,
  /** The questions for which the account voted. */
  votedQuestions: z.array(messageId),
  /** The votes in open polls. A poll that closes keeps none. */
  pollVotes: z.array(z.strictObject({ messageId, choices: pollChoices })),
  /** The texts of questions that wait for release in a lecture, or came back. */
  waitingTexts: z.array(z.string()),
  /** What the account asked staff alone, and wrote in these conversations. */
  privateTexts: z.array(z.string()),
  /** What the account prepared for lectures, as staff. */
  preparedItems: z.array(preparedItemSchema),
  notify: notifyChoice,
});

export const exportedAccountSchema = z.strictObject({
  email: z.string(),
  createdDay: day,
  /** The language of mails; null for the default of the site. */
  language: z.string().nullable(),
  devices: z.array(deviceSchema.pick({ name: true, signedInDay: true, notified: true })),
  /** Their names. */
  passkeys: z.array(z.string()),
  suspensions: z.array(exportedSanctionSchema),
  notifications: notificationSettingsSchema.extend(digestSchema.shape),
});

/** The complete export file. */
export const accountExportSchema = exportedAccountSchema.extend({
  classes: z.array(
    exportedClassSchema.extend({
      messages: z.array(exportedMessageSchema),
      reactions: z.array(exportedReactionSchema),
      reports: z.array(exportedReportSchema),
      sanctions: z.array(exportedSanctionSchema),
    }),
  ),
});

export const accountCalls = {
  signUp: {
    route: 'POST /api/auth/sign-up/email',
    who: 'anyone',
    limit: 'signUps',
    body: z.strictObject({ email, password }),
    reply: z.strictObject({ verify: z.boolean() }),
  },
  signIn: {
    route: 'POST /api/auth/sign-in/email',
    who: 'anyone',
    body: z.strictObject({ email, password }),
    reply: emptySchema,
  },
  signOut: {
    route: 'POST /api/auth/sign-out',
    who: 'anyone',
    reply: emptySchema,
  },
  requestPasswordReset: {
    route: 'POST /api/auth/request-password-reset',
    who: 'anyone',
    limit: 'resets',
    body: z.strictObject({ email }),
    reply: emptySchema,
  },
  resetPassword: {
    route: 'POST /api/auth/reset-password',
    who: 'anyone',
    body: z.strictObject({ token, newPassword: password }),
    reply: emptySchema,
  },
  verifyEmail: {
    route: 'POST /api/auth/verify-email',
    who: 'anyone',
    body: z.strictObject({ token, password }),
    reply: emptySchema,
  },
  me: {
    route: 'GET /api/me',
    who: 'anyone',
    reply: z.strictObject({
      account: z
        .strictObject({
          email: z.string(),
          /** The same key as in the socket's welcome. The browser stores unsent messages under it. */
          key: z.string(),
          /** The account's own roles. */
          roles: z.array(roleSchema),
          /** A suspended account can only use the calls that SUSP-6 lists. */
          suspended: z.boolean(),
        })
        .nullable(),
    }),
  },
  listDevices: {
    route: 'GET /api/me/devices',
    who: 'account',
    reply: z.strictObject({ devices: z.array(deviceSchema) }),
  },
  signOutOtherDevices: {
    route: 'DELETE /api/me/devices',
    who: 'account',
    reply: emptySchema,
  },
  signOutDevice: {
    route: 'DELETE /api/me/devices/:deviceId',
    who: 'account',
    params: z.strictObject({ deviceId }),
    reply: emptySchema,
  },
  /** The language of mails and notifications. */
  saveLanguage: {
    route: 'PUT /api/me/language',
    who: 'account',
    limit: 'edits',
    body: z.strictObject({ language: z.string().max(limits.languageTag) }),
    reply: emptySchema,
  },
  changePassword: {
    route: 'PUT /api/me/password',
    who: 'account',
    body: z.strictObject({ currentPassword: password, newPassword: password }),
    reply: emptySchema,
  },
  exportAccount: {
    route: 'GET /api/me/export',
    who: 'account',
    limit: 'exports',
    openToSuspended: true,
    writesReply: true,
    reply: accountExportSchema,
  },
  /** The export, for a person who can no longer sign in and has the link of an operator. */
  takeDataCopy: {
    route: 'POST /api/data-copy',
    who: 'anyone',
    limit: 'resets',
    body: z.strictObject({ token }),
    writesReply: true,
    reply: accountExportSchema,
  },
  deleteAccount: {
    route: 'POST /api/me/deletion',
    who: 'account',
    factor: 'ifAny',
    openToSuspended: true,
    body: z.strictObject({
      password: passwordIfAny,
      messages: z.enum(['keep', 'delete'], 'Please choose what happens to your messages.'),
    }),
    reply: emptySchema,
  },
} as const;
