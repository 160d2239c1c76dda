// Notifications about new messages, as their owner sees and chooses them.
import { z } from 'zod';
import { emptySchema, classParams, token } from './call-fields.ts';
import { randomId, timeZone } from './entities.ts';
import { limits } from './limits.ts';

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Please enter times as HH:MM.');

export const quietHoursSchema = z
  .strictObject({
    /** HH:MM. Quiet hours that end before they begin end on the next day. */
    from: timeOfDay,
    to: timeOfDay,
    /** The time zone of the device on which they were chosen, such as Europe/Berlin. */
    timeZone,
  })
  .refine(({ from, to }) => from !== to, 'Please choose two different times.');
export type QuietHours = z.infer<typeof quietHoursSchema>;

/** The settings for all classes and devices of the account. */
export const notificationSettingsSchema = z.strictObject({
  /** Whether notifications show the text of messages. */
  showText: z.boolean(),
  /**
   * Whether an answer to the account's own question notifies. It does not in classes without notifications. Pages of earlier
   * versions do not send it.
   */
  answers: z.boolean().default(true),
  quietHours: quietHoursSchema.nullable(),
  /** Milliseconds since 1970: no notifications before this time. */
  snoozedUntil: z.int().min(0).nullable(),
  /** Whether a moderator or operator is notified of waiting work. */
  waitingWork: z.boolean(),
});
export type NotificationSettings = z.infer<typeof notificationSettingsSchema>;

/** Whether the account wants a daily email that counts what it missed. A link in the mail can turn it off, too. */
export const digestSchema = z.strictObject({ digest: z.boolean() });

/** Which messages of a class notify: all, those that mention or reply to the member, or none. */
export const notifyChoice = z.enum(
  ['all', 'mentions', 'none'],
  'Please choose all messages, mentions and replies, or none.',
);
export type NotifyChoice = z.infer<typeof notifyChoice>;

const classNotifySchema = z.strictObject({ classId: randomId, notify: notifyChoice });

/** What `PushSubscription.toJSON()` returns in a browser, without the time of expiry. */
export const pushSubscriptionSchema = z.strictObject({
  endpoint: z
    .string()
    .max(limits.pushEndpoint, 'The address is too long.')
    .regex(/^[!#-[\]-~]*$/, 'The address contains a character that is not allowed.'),
  keys: z.strictObject({
    /** The browser's public key: an uncompressed point on the curve P-256. */
    p256dh: z.string().regex(/^B[\w-]{86}$/, 'The key is not valid.'),
    auth: z.string().regex(/^[\w-]{22}$/, 'The secret is not valid.'),
  }),
});
export type PushSubscription = z.infer<typeof pushSubscriptionSchema>;

/** The content of a notification after decryption by the browser. Padding is added to the whole record, not to fields. */
export const pushPayloadSchema = z.strictObject({
  /** Null for moderators and operators: a report of a threat, or if `work` is true, more waiting work. */
  classId: randomId.nullable(),
  work: z.literal(true).optional(),
  /** 'New messages in CS 146'. */
  title: z.string(),
  /** The unread messages in all classes, for the badge of the installed app. */
  unread: z.int().min(0),
  /** Only if the account shows texts: the anonymous name of the author and the start of the message. */
  text: z.string().optional(),
  /** Classes whose notifications on this device are outdated, because they were read elsewhere. */
  close: z.array(randomId),
});
export type PushPayload = z.infer<typeof pushPayloadSchema>;

export const notificationCalls = {
  readNotifications: {
    route: 'GET /api/me/notifications',
    who: 'account',
    reply: z.strictObject({
      /** The key of this server for `PushManager.subscribe`; null if the operator turned push off. */
      publicKey: z.string().nullable(),
      /** Whether the server has a push subscription of the requesting device. */
      subscribed: z.boolean(),
      notifications: notificationSettingsSchema,
      /** The classes for which the account has chosen something. */
      choices: z.array(classNotifySchema),
      ...digestSchema.shape,
      /** Why the server sends no digests: it has no mail server, or the operator turned them off. Null if it does. */
      digestUnavailable: z.enum(['noMail', 'off']).nullable(),
    }),
  },
  /** A page of an earlier version does not know `waitingWork`: without it, the choice stays. */
  saveNotifications: {
    route: 'PUT /api/me/notifications',
    who: 'account',
    limit: 'edits',
    body: notificationSettingsSchema.partial({ waitingWork: true }),
    reply: emptySchema,
  },
  saveDigest: {
    route: 'PUT /api/me/notifications/digest',
    who: 'account',
    limit: 'edits',
    body: digestSchema,
    reply: emptySchema,
  },
  /** Subscribes the requesting device. A second subscription replaces the first one. */
  subscribePush: {
    route: 'PUT /api/me/notifications/subscription',
    who: 'account',
    limit: 'edits',
    body: pushSubscriptionSchema,
    reply: emptySchema,
  },
  unsubscribePush: {
    route: 'DELETE /api/me/notifications/subscription',
    who: 'account',
    reply: emptySchema,
  },
  chooseNotifications: {
    route: 'PUT /api/classes/:classId/notifications',
    who: 'member',
    limit: 'edits',
    params: classParams,
    body: z.strictObject({ notify: notifyChoice }),
    reply: emptySchema,
  },
  unsubscribeDigest: {
    route: 'POST /unsubscribe',
    who: 'anyone',
    query: z.strictObject({ token }),
    reply: emptySchema,
  },
} as const;
