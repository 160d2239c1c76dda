import { z } from 'zod';
import {
  classListQuery,
  importedLineSchema,
  listedClassSchema,
  settingInForceSchema,
  supportedAccountSchema,
  overviewSchema,
  termSchema,
  termYear,
} from './admin.ts';
import { announcementBody, listedAnnouncement } from './announcements.ts';
import { semesterSeasons, weekdays } from './class-fields.ts';
import { accountExportSchema, deviceId, deviceSchema } from './account.ts';
import {
  classSchema,
  classSettingsSchema,
  messageId,
  messageSchema,
  personaSchema,
  pictureSchema,
  randomId,
  sanctionSchema,
  schoolThemeSchema,
  storagePath,
} from './entities.ts';
import { errors } from './errors.ts';
import { limits } from './limits.ts';
import {
  appealBody,
  auditEntrySchema,
  auditQuery,
  caseQuery,
  caseSchema,
  contextSchema,
  grantedRoleSchema,
  decisionBody,
  liftingBody,
  moderatedMemberSchema,
  ownReportSchema,
  ownSanctionSchema,
  reportBody,
  reviewBody,
  roleSchema,
} from './moderation.ts';
import {
  classNotifySchema,
  digestSchema,
  notificationSettingsSchema,
  notifyChoice,
  pushSubscriptionSchema,
} from './notifications.ts';
import {
  caseUnmaskingSchema,
  classOpennessSchema,
  confirmationBody,
  siteOpennessSchema,
  unmaskingBody,
  unmaskingRequestSchema,
} from './openness.ts';
import { savedPreferencesSchema } from './preferences.ts';
import type { RouteName } from './routes.ts';
import {
  facetResult,
  hitsResult,
  searchRecord,
  searchReply,
  type SearchRequest,
} from './search.ts';
import { searchFacets, searchIndexName } from './class-fields.ts';
import { isPlainLine, isPlainText } from './text.ts';

const line = (name: string, max: number) =>
  z
    .string(`${name} must be text.`)
    .max(max, `${name} can have at most ${max} characters.`)
    .refine(isPlainLine, `${name} contains a character that is not allowed.`);
const email = line('Email', limits.email).min(1, 'Email is required.');
const password = z
  .string('Password must be text.')
  .min(1, 'Password is required.')
  .max(1000, 'Password is too long.')
  .refine(isPlainLine, 'Password contains a character that is not allowed.');
/** Empty if a sign-in through the university's provider confirms the call. */
const passwordIfAny = z
  .string('Password must be text.')
  .max(1000, 'Password is too long.')
  .refine(isPlainLine, 'Password contains a character that is not allowed.');
const classText = (name: string) =>
  z
    .string(`${name} must be text.`)
    .max(limits.classText, `${name} can have at most 2,000 characters.`)
    .refine(isPlainText, `${name} contains a character that is not allowed.`);
const token = line('The link', 1000).min(1, 'The link is incomplete.');
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^$/, 'Please enter times as HH:MM.');

const nothing = z.strictObject({});
const ofClass = z.strictObject({ classId: randomId });
const ofKeptClass = z.strictObject({ keptClassId: randomId });
const ofReview = z.strictObject({ reviewId: randomId });
const ofCase = z.strictObject({ caseId: randomId });
const ofRequest = z.strictObject({ requestId: randomId });
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
    limit: z.coerce.number().int().min(1).max(limits.historyPage).default(limits.snapshotMessages),
  })
  .refine(
    ({ before, after, around, since }) =>
      [before, after, around, since].filter((one) => one !== undefined).length <= 1,
    'Please choose one of before, after, around and since.',
  );

const messageSearch = z.strictObject({
  query: line('A search', limits.messageQuery).min(
    1,
    'Please enter a word or a number to search for.',
  ),
  /** Selects messages with a smaller seq: `nextBefore` of the previous page. */
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(limits.messageHits).default(limits.messageHitsDefault),
});

/** Offsets of a matched part of the text: from the first, up to and without the second. */
const mark = z.tuple([z.int().min(0), z.int().min(1)]);

/** The body of the create call. The domain checks which fields are missing. */
export const newClassSchema = z.strictObject({
  courseName: line('Course name', limits.classField),
  subjectAbbreviation: line('Subject abbreviation', limits.classCode),
  courseNumber: line('Course number', limits.classCode),
  sectionNumber: line('Section number', limits.classCode),
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
      .max(400, errors.NAME_TOO_LONG.message)
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
  description: classText('A description').optional(),
  rules: classText('Rules').optional(),
  pins: z
    .array(messageId)
    .max(limits.pins, 'A class can have at most 10 pinned messages.')
    .refine((pins) => new Set(pins).size === pins.length, 'A message can be pinned only once.')
    .optional(),
});
export type SettingsChange = z.infer<typeof settingsChange>;

/** The server's Algolia parser validates these requests, because errors must have Algolia's format. */
const searchRequests = z.custom<{ requests: SearchRequest[] }>();
const searchParameters = z.custom<Readonly<Record<string, unknown>>>();
/** The parser refuses the other names and ids, for the same reason. */
const indexName = z.union([z.literal(searchIndexName), z.string()]);

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
  startSignOn: {
    body: z.strictObject({ again: z.boolean() }),
    /** The page of the provider. */
    reply: z.strictObject({ providerUrl: z.string() }),
  },
  finishSignOn: {
    /** The query that the provider added to the address of the page. */
    body: z.strictObject({ response: line('The response', 4000) }),
    /** The address of the account that the person must prove to own; null if they are signed in. */
    reply: z.strictObject({ email: z.string().nullable() }),
  },
  mailSignOnLink: { reply: nothing },
  joinSignOn: {
    body: z.union([z.strictObject({ password }), z.strictObject({ token })]),
    reply: nothing,
  },
  me: {
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
  listDevices: { reply: z.strictObject({ devices: z.array(deviceSchema) }) },
  signOutOtherDevices: { reply: nothing },
  signOutDevice: { params: z.strictObject({ deviceId }), reply: nothing },
  readNotifications: {
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
  saveNotifications: { body: notificationSettingsSchema, reply: nothing },
  saveDigest: { body: digestSchema, reply: nothing },
  /** For the requesting device. A second subscription replaces the first one. */
  subscribePush: { body: pushSubscriptionSchema, reply: nothing },
  unsubscribePush: { reply: nothing },
  changePassword: {
    body: z.strictObject({ currentPassword: password, newPassword: password }),
    reply: nothing,
  },
  listOwnSanctions: {
    /** Newest first. */
    reply: z.strictObject({ sanctions: z.array(ownSanctionSchema) }),
  },
  appeal: {
    params: z.strictObject({ sanctionId: randomId }),
    body: appealBody,
    reply: z.strictObject({ appealed: z.literal(true) }),
  },
  exportAccount: { reply: accountExportSchema },
  deleteAccount: {
    body: z.strictObject({
      password: passwordIfAny,
      messages: z.enum(['keep', 'delete'], 'Please choose what happens to your messages.'),
    }),
    reply: nothing,
  },
  listClasses: { reply: z.strictObject({ classes: z.array(classSchema) }) },
  createClass: { body: newClassSchema, reply: z.strictObject({ class: classSchema }) },
  readClass: {
    params: ofClass,
    reply: z.strictObject({
      class: classSchema,
      joined: z.boolean(),
      /** What moderators decided about the user. After a removal, the user cannot join. */
      sanction: sanctionSchema.nullable(),
      /** Where the class goes on, if operators merged this one, as a duplicate, into another one. */
      continuesIn: classSchema.nullable(),
      ...classSettingsSchema.pick({ description: true, rules: true }).shape,
    }),
  },
  readClassSettings: {
    params: ofClass,
    reply: z.strictObject({
      settings: classSettingsSchema,
      /** The pinned messages, in order, and the personas that they show. */
      messages: z.array(messageSchema),
      personas: z.array(personaSchema),
    }),
  },
  changeClassSettings: {
    params: ofClass,
    body: settingsChange,
    reply: z.strictObject({ settings: classSettingsSchema }),
  },
  listMembers: {
    params: ofClass,
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
    params: ofClass,
    body: personaChange,
    reply: z.strictObject({ persona: personaSchema }),
  },
  readPreferences: { params: ofClass, reply: savedPreferencesSchema },
  savePreferences: {
    params: ofClass,
    /** `version` is the one that the change is based on. */
    body: savedPreferencesSchema,
    reply: savedPreferencesSchema,
  },
  chooseNotifications: {
    params: ofClass,
    body: z.strictObject({ notify: notifyChoice }),
    reply: nothing,
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
      /** Whether the history has messages newer than this page. */
      hasNewer: z.boolean(),
    }),
  },
  searchMessages: {
    params: ofClass,
    query: messageSearch,
    reply: z.strictObject({
      /** Newest first. A page can be short, or empty, and still have a next page. */
      hits: z.array(z.strictObject({ message: messageSchema, marks: z.array(mark) })),
      personas: z.array(personaSchema),
      /** The `before` of the next page; null if there are no more messages. */
      nextBefore: z.int().min(1).nullable(),
    }),
  },
  uploadImage: {
    params: ofClass,
    /** 'staff' for a picture of a message as staff. Another message cannot have it. */
    query: z.strictObject({ as: z.literal('staff').optional() }),
    reply: z.strictObject({
      /** For the `post` frame, within an hour, or for the call that deletes the image. */
      imageId: randomId,
      storagePath,
      ...pictureSchema.omit({ alt: true }).shape,
    }),
  },
  /** Deletes the account's own unsent image. A missing image is ignored. */
  deleteImage: { params: z.strictObject({ classId: randomId, imageId: randomId }), reply: nothing },
  reportMember: {
    params: ofClass,
    body: reportBody,
    reply: z.strictObject({
      reported: z.literal(true),
      /** For a report of a threat: the school's help line, if it has one. */
      helpLine: z.string().nullable(),
    }),
  },
  listOwnReports: {
    params: ofClass,
    /** Newest first. */
    reply: z.strictObject({ reports: z.array(ownReportSchema) }),
  },
  listCases: {
    query: caseQuery,
    reply: z.strictObject({
      /** Newest first. */
      cases: z.array(caseSchema),
      /** The `before` of the next page; null if there are no more. */
      next: randomId.nullable(),
    }),
  },
  readCaseContext: { params: ofCase, reply: contextSchema },
  decideCase: {
    params: ofCase,
    body: decisionBody,
    reply: z.strictObject({ case: caseSchema }),
  },
  undoDecision: { params: ofCase, reply: z.strictObject({ case: caseSchema }) },
  decideReview: {
    params: ofReview,
    body: reviewBody,
    reply: z.strictObject({ case: caseSchema }),
  },
  undoReview: { params: ofReview, reply: z.strictObject({ case: caseSchema }) },
  liftSuspension: {
    params: z.strictObject({ suspensionId: randomId }),
    body: liftingBody,
    reply: nothing,
  },
  readModeratedMember: {
    params: z.strictObject({ classId: randomId, memberId: randomId }),
    reply: moderatedMemberSchema,
  },
  liftSanction: {
    params: z.strictObject({ classId: randomId, memberId: randomId, sanctionId: randomId }),
    body: liftingBody,
    reply: nothing,
  },
  /** Of classes, by class and name. */
  listGrantedRoles: { reply: z.strictObject({ roles: z.array(grantedRoleSchema) }) },
  grantRole: {
    body: z.strictObject({
      email,
      classId: z
        .string('A class is required.')
        .regex(/^[\w-]{16}$/, 'This is not the link of a class.'),
      role: z.enum(['moderator', 'staff'], 'Please choose a role from the list.'),
      staffName: line('The name', 4 * limits.staffName),
    }),
    reply: nothing,
  },
  revokeRole: { params: z.strictObject({ roleId: randomId }), reply: nothing },
  listAuditLog: {
    query: auditQuery,
    reply: z.strictObject({
      /** Newest first. */
      entries: z.array(auditEntrySchema),
      /** Whether there are older entries. */
      hasOlder: z.boolean(),
    }),
  },
  readOverview: { reply: overviewSchema },
  readSettingsInForce: { reply: z.strictObject({ inForce: z.array(settingInForceSchema) }) },
  listAllClasses: {
    query: classListQuery,
    reply: z.strictObject({
      classes: z.array(listedClassSchema).max(limits.listedClasses),
      /** On all pages. */
      total: z.int().min(0),
      /** All terms with a class that has not ended, newest first. */
      terms: z.array(termSchema),
      /** For how many days an ended class can be reopened. */
      reopenDays: z.int().min(0),
    }),
  },
  editClass: {
    params: ofClass,
    body: newClassSchema.extend({ year: termYear }),
    reply: z.strictObject({ class: listedClassSchema }),
  },
  endClass: { params: ofClass, reply: nothing },
  reopenClass: { params: ofClass, reply: nothing },
  deleteClass: { params: ofClass, reply: nothing },
  restoreClass: { params: ofClass, reply: nothing },
  previewMerge: {
    params: ofClass,
    query: ofKeptClass,
    reply: z.strictObject({
      /** Whether the members join the class that stays. */
      isEnrolling: z.boolean(),
      /** Roles in the duplicate. They end with it. */
      roleTotal: z.int().min(0),
    }),
  },
  /** Enrols some members of the duplicate in the class that stays, or ends the duplicate. Call it again until no step is left. */
  mergeClass: {
    params: ofClass,
    body: ofKeptClass,
    reply: z.strictObject({ stepsLeft: z.int().min(0) }),
  },
  /** A dry run, or the import, of some lines. A line that was imported before changes nothing. */
  importClasses: {
    body: z.strictObject({
      apply: z.boolean(),
      lines: z
        .array(
          z.strictObject({
            line: z.int().min(1),
            fields: newClassSchema.extend({
              semesterSeason: z.enum(semesterSeasons),
              year: termYear,
            }),
          }),
        )
        .min(1)
        .max(limits.classBatch),
    }),
    reply: z.strictObject({ lines: z.array(importedLineSchema).max(limits.classBatch) }),
  },
  /** Ends some classes of the term. Call it again until none remains. */
  endTerm: {
    body: z.strictObject({ semesterSeason: z.enum(semesterSeasons), year: termYear }),
    reply: z.strictObject({
      endedTotal: z.int().min(0).max(limits.classBatch),
      remaining: z.int().min(0),
    }),
  },
  /** Null if no account would sign in with this address. */
  findAccount: {
    body: z.strictObject({ email }),
    reply: z.strictObject({ supported: supportedAccountSchema.nullable() }),
  },
  resendVerification: { body: z.strictObject({ email }), reply: nothing },
  sendResetLink: { body: z.strictObject({ email }), reply: nothing },
  correctAddress: { body: z.strictObject({ email, newEmail: email }), reply: nothing },
  endAccountSessions: { body: z.strictObject({ email }), reply: nothing },
  exportFoundAccount: {
    body: z.strictObject({ email }),
    reply: z.strictObject({ supported: supportedAccountSchema }),
  },
  deleteFoundAccount: {
    /** The address is typed twice. */
    body: z.strictObject({ email, repeatedEmail: email }),
    reply: nothing,
  },
  listAnnouncements: {
    reply: z.strictObject({
      /** Those in force first, then the newest. */
      announcements: z.array(listedAnnouncement).max(limits.listedAnnouncements),
    }),
  },
  announce: { body: announcementBody, reply: z.strictObject({ announcementId: randomId }) },
  withdrawAnnouncement: {
    params: z.strictObject({ announcementId: randomId }),
    reply: nothing,
  },
  readSiteOpenness: { reply: siteOpennessSchema },
  readClassOpenness: { params: ofClass, reply: classOpennessSchema },
  /** The open requests of all cases. */
  listUnmaskings: { reply: z.strictObject({ requests: z.array(unmaskingRequestSchema) }) },
  readUnmasking: { params: ofCase, reply: caseUnmaskingSchema },
  requestUnmasking: { params: ofCase, body: unmaskingBody, reply: caseUnmaskingSchema },
  confirmUnmasking: {
    params: ofRequest,
    body: confirmationBody,
    /** The e-mail address of the account. It is in no other reply. */
    reply: z.strictObject({ address: z.string() }),
  },
  withdrawUnmasking: { params: ofRequest, reply: caseUnmaskingSchema },
  unsubscribeDigest: { query: z.strictObject({ token }), reply: nothing },
  countInterfaceError: { reply: nothing },
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
  searchIndex: {
    params: z.strictObject({ indexName }),
    body: searchParameters,
    reply: hitsResult,
  },
  searchFacetValues: {
    params: z.strictObject({ indexName, facetName: z.union([z.enum(searchFacets), z.string()]) }),
    body: searchParameters,
    reply: facetResult,
  },
  readSearchRecord: {
    params: z.strictObject({ indexName, objectID: z.union([randomId, z.string()]) }),
    /** Clients can send their key here too. */
    query: z.looseObject({ attributesToRetrieve: z.string().optional() }),
    reply: searchRecord,
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
