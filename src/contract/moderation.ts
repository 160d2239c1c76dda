// Roles, reports, the cases that moderators decide, and sanctions. A case names personas, and no account.
import { z } from 'zod';
import { day, emptySchema, caseParams, classParams } from './call-fields.ts';
import {
  messageSchema,
  personaSchema,
  pictureSchema,
  pollOptionsSchema,
  randomId,
  reportedId,
  sanctionBytes,
} from './entities.ts';
import { limits } from './limits.ts';
import { reportReasons } from './report-reasons.ts';

const roleNames = ['operator', 'moderator', 'staff'] as const;

/** A role of the account itself. Operators have theirs in every class. */
export const roleSchema = z.strictObject({
  classId: randomId.nullable(),
  role: z.enum(roleNames),
});
export type Role = z.infer<typeof roleSchema>;

/** A role that an operator can grant and revoke. The id says nothing about the account. */
export const grantedRoleSchema = z.strictObject({
  roleId: randomId,
  classId: randomId,
  label: z.string(),
  role: z.enum(['moderator', 'staff']),
  /** The name in the audit log, or the one that the class sees. */
  staffName: z.string(),
});
export type GrantedRole = z.infer<typeof grantedRoleSchema>;

const note = (max: number) => z.string('A reason must be text.').max(4 * max);

/** A report of a message or of a member. The domain counts the characters of the text. */
const reportBody = z
  .strictObject({
    messageId: reportedId.optional(),
    memberId: randomId.optional(),
    reason: z.enum(reportReasons, 'Please choose a reason from the list.'),
    text: note(limits.reportText).optional(),
    /** Keeps the case from the moderators of the class. */
    operatorsOnly: z.boolean().optional(),
  })
  .refine(
    (report) => (report.messageId === undefined) !== (report.memberId === undefined),
    'Please report one message or one member.',
  );

/** The reporter's own report. */
export const ownReportSchema = z.strictObject({
  /** Null for a report of a member. */
  messageId: reportedId.nullable(),
  /** Null for a report of a message. */
  memberId: randomId.nullable(),
  reason: z.enum(reportReasons),
  /** 'acted': the message stays, or the member was reported, and the member was sanctioned or the case was escalated. */
  state: z.enum(['open', 'kept', 'removed', 'acted']),
  day,
});
export type OwnReport = z.infer<typeof ownReportSchema>;

/** A decision that concerns the account: about its report, its message, its persona or its appeal. */
export const ownDecisionSchema = z.strictObject({
  /** Says nothing about the case: other accounts have another id for the same decision. */
  decisionId: randomId,
  classId: randomId,
  label: z.string(),
  kind: z.enum([
    'report-kept',
    'report-removed',
    'report-acted',
    'message-removed',
    'sanctioned',
    'appeal-kept',
    'appeal-lifted',
  ]),
  /** Why a moderator removed the account's message. Null for other kinds: the class says their reason, or no one. */
  reason: z.string().nullable(),
});
export type OwnDecision = z.infer<typeof ownDecisionSchema>;

const muteHours = [1, 24, 168] as const;

/** The body of a decision. */
export const decisionBody = z.strictObject({
  /** The version of the case that the moderator saw. */
  version: z.int().min(1),
  /** 'remove' is only for a message. */
  decision: z.enum(['keep', 'remove']),
  reason: note(limits.decisionReason),
  /** Asks operators about the account behind the persona. */
  escalate: z.boolean().optional(),
  /** A sanction of the message's author, or of the reported member. */
  sanction: z
    .discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('mute'),
        hours: z.literal([...muteHours], 'Please choose an hour, a day or a week.'),
      }),
      z.strictObject({ kind: z.literal('remove') }),
    ])
    .optional(),
});
export type DecisionBody = z.infer<typeof decisionBody>;

const liftingBody = z.strictObject({ reason: note(limits.decisionReason) });

/** Pictures of evidence have their own addresses, which only moderators can load. None is hidden from them. */
const evidencePicture = pictureSchema.omit({ spoiler: true }).extend({
  imageUrl: z.string().regex(/^\/images\/cases\/[\w-]{16}\/[\w-]{16}\.webp$/),
  thumbUrl: z.string().regex(/^\/images\/cases\/[\w-]{16}\/[\w-]{16}\.small\.webp$/),
  pdfUrl: z
    .string()
    .regex(/^\/images\/cases\/[\w-]{16}\/[\w-]{16}\.pdf$/)
    .optional(),
});

/** The message as it was when it was first reported, with its later versions, oldest first. */
export const evidenceSchema = z.strictObject({
  text: z.string(),
  /** The options of a poll. */
  options: pollOptionsSchema.shape.options.optional(),
  images: z.array(evidencePicture).max(limits.messageImages),
  createdAt: z.int(),
  edits: z.array(z.strictObject({ text: z.string(), editedAt: z.int() })).max(limits.evidenceEdits),
  /** The personas that the texts mention. */
  personas: z.array(personaSchema),
});
export type Evidence = z.infer<typeof evidenceSchema>;

const suspensionDays = [7, 30, 120] as const;

const reviewFields = {
  /** The version of the review that the moderator saw. */
  version: z.int().min(1),
  reason: note(limits.decisionReason),
};

/** 'suspend' and 'dismiss' decide an escalation, 'keep' and 'lift' an appeal. */
export const reviewBody = z.discriminatedUnion('decision', [
  z.strictObject({ decision: z.literal('dismiss'), ...reviewFields }),
  z.strictObject({
    decision: z.literal('suspend'),
    /** Null: permanently. */
    days: z.literal([...suspensionDays], 'Please choose a length from the list.').nullable(),
    ...reviewFields,
  }),
  z.strictObject({ decision: z.literal('keep'), ...reviewFields }),
  z.strictObject({ decision: z.literal('lift'), ...reviewFields }),
]);
export type ReviewBody = z.infer<typeof reviewBody>;

const sanctionKinds = ['mute', 'removed', 'suspension'] as const;
export type SanctionKind = (typeof sanctionKinds)[number];

/** What operators see of a suspension. It names the persona's case and no account. */
const suspensionSchema = z.strictObject({
  suspensionId: randomId,
  /** Null if it has no end. */
  until: z.int().nullable(),
  reason: z.string(),
  staffName: z.string(),
  day,
  /** False after its end, and after an operator lifted it. */
  active: z.boolean(),
});

/** A question in a case after its decision: an escalation for operators, or an appeal of the person concerned. */
const reviewSchema = z.strictObject({
  reviewId: randomId,
  kind: z.enum(['escalation', 'appeal']),
  /** What the appeal is about; null for an escalation. */
  sanction: z
    .strictObject({
      kind: z.enum(sanctionKinds),
      until: z.int().nullable(),
      reason: z.string(),
      staffName: z.string(),
      active: z.boolean(),
    })
    .nullable(),
  /** The moderator's reason, or the text of the appeal; null when it is erased. */
  text: z.string().nullable(),
  day,
  state: z.enum(['open', 'decided']),
  /** Only operators see the decision on an escalation. */
  decision: z.enum(['suspend', 'dismiss', 'keep', 'lift']).nullable(),
  days: z.literal([...suspensionDays]).nullable(),
  reason: z.string().nullable(),
  decidedBy: z.string().nullable(),
  effectiveAt: z.int().nullable(),
  version: z.int().min(1),
  /** Whether the viewer made the decision that the appeal is about. */
  isOwnDecision: z.boolean(),
});
export type Review = z.infer<typeof reviewSchema>;

/** A sanction as the person concerned sees it. A suspension is of the account, the others are of a persona. */
export const ownSanctionSchema = z.strictObject({
  sanctionId: randomId,
  classId: randomId,
  label: z.string(),
  kind: z.enum(sanctionKinds),
  /** Null if it has no end. */
  until: z.int().nullable(),
  reason: z.string(),
  day,
  /** False after its end, and after a moderator lifted it. */
  active: z.boolean(),
  /** Present if the sanction is on the account's staff persona. */
  staff: z.literal(true).optional(),
  /** Present if the sanction holds only for private questions. */
  private: z.literal(true).optional(),
  appeal: z
    .strictObject({
      /** Null when it is erased. */
      text: z.string().nullable(),
      state: z.enum(['open', 'kept', 'lifted']),
      /** Why it was decided so; null while the appeal is open. */
      reason: z.string().nullable(),
    })
    .nullable(),
});
export type OwnSanction = z.infer<typeof ownSanctionSchema>;

/** The domain counts the characters. */
const appealBody = z.strictObject({
  text: z.string('An appeal must be text.').max(4 * limits.appealText),
});

/** All reports of one message, or of one member, until a decision. */
export const caseSchema = z.strictObject({
  caseId: randomId,
  classId: randomId,
  label: z.string(),
  /** The author of the message, or the reported member. */
  persona: personaSchema,
  /** Null if the member was reported. */
  messageId: reportedId.nullable(),
  /** Whether a reporter asked for operators: the moderators of the class do not see the case. */
  forOperators: z.boolean(),
  /** What the class sees of the message; null if the member was reported. */
  shown: z.enum(['visible', 'hidden', 'removed', 'deleted']).nullable(),
  /** Null if the member was reported, or if the evidence is erased. */
  evidence: evidenceSchema.nullable(),
  /** The newest ones, oldest first. Erased with the evidence. */
  reports: z
    .array(z.strictObject({ reason: z.enum(reportReasons), text: z.string(), day }))
    .max(limits.reportsOfCase),
  /** The number of all reports. */
  reportCount: z.int().min(0),
  /** A decision takes effect at `effectiveAt`. Until then it can be undone. */
  state: z.enum(['open', 'decided']),
  decision: z.enum(['keep', 'remove']).nullable(),
  sanction: z
    .strictObject({
      kind: z.enum(['mute', 'removed']),
      hours: z.literal([...muteHours]).nullable(),
    })
    .nullable(),
  reason: z.string().nullable(),
  /** The name of the moderator under which the audit log lists the decision. */
  decidedBy: z.string().nullable(),
  effectiveAt: z.int().nullable(),
  /** Raised by edits of the message and by decisions. */
  version: z.int().min(1),
  /** Oldest first. Appeals of a suspension are only for operators. */
  reviews: z.array(reviewSchema),
  /** Null for moderators of a class. */
  suspension: suspensionSchema.nullable(),
});
export type Case = z.infer<typeof caseSchema>;

const caseQuery = z.strictObject({
  /** Selects only this case. The other fields are then ignored. */
  caseId: randomId.optional(),
  classId: randomId.optional(),
  /** 'escalated' and 'appeals': cases with an escalation or an appeal to decide. */
  state: z.enum(['open', 'decided', 'escalated', 'appeals']).default('open'),
  /** `next` of the previous page. */
  before: randomId.optional(),
});

/** Up to five messages before and after the reported one, as the class sees them, oldest first. */
const contextSchema = z.strictObject({
  messages: z.array(messageSchema),
  personas: z.array(personaSchema),
});

/** A sanction as moderators see it. */
const memberSanctionSchema = z.strictObject({
  sanctionId: randomId,
  kind: z.enum(['mute', 'removed']),
  /** Null if it has no end. */
  until: z.int().nullable(),
  reason: z.string(),
  staffName: z.string(),
  day,
  /** False after its end, and after a moderator lifted it. */
  active: z.boolean(),
});

const moderatedMemberSchema = z.strictObject({
  persona: personaSchema,
  /** Newest first. */
  sanctions: z.array(memberSanctionSchema),
  /** The member's cases: open ones, and decided ones by their outcome. */
  caseCounts: z.strictObject({
    open: z.int().min(0),
    kept: z.int().min(0),
    removed: z.int().min(0),
  }),
});

export const auditActions = [
  'keep',
  'remove',
  'mute',
  'remove-member',
  'lift',
  'keep-sanction',
  'escalate',
  'dismiss-escalation',
  'suspend',
  'lift-suspension',
  // The reason names the changed settings.
  'settings',
  'grant-operator',
  'grant-moderator',
  'grant-staff',
  'revoke-role',
  'end-class',
  'delete-class',
  'restore-class',
  'reopen-class',
  // The reason names the changed fields.
  'edit-class',
  // One class, as earlier versions wrote it.
  'import-class',
  // The reason has the numbers.
  'import-classes',
  // The reason is the text of the announcement.
  'announce',
  'withdraw-announcement',
  // The entry names the duplicate. The reason names the id of the class that stays.
  'merge-class',
  // These actions are on one account. The entry does not say which.
  'find-account',
  'end-sessions',
  'resend-verification',
  'send-reset-link',
  'correct-address',
  'export-account',
  'mail-data-copy',
  'delete-account',
  'block-address',
  'unblock-address',
  'remove-passkeys',
  // A report from outside. The entry does not say which.
  'decide-outside-report',
  'take-data-copy',
  // The reason names the domains.
  'rename-domain',
  // A new server key renames all members, so the hashes are computed again. The reason names the last old hash.
  'new-key',
  // The setting UNMASKING, as the server found it when it started.
  'unmasking-on',
  'unmasking-off',
  'unmask-request',
  // An address was shown.
  'unmask-confirm',
  // A request was confirmed, and no account was found.
  'unmask-impossible',
  'unmask-withdraw',
  // A wrong password at a request or its confirmation.
  'unmask-password',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Each hash covers the previous hash and the other fields except the label. */
const auditEntrySchema = z.strictObject({
  number: z.int().min(1),
  /** Rounded down to the minute. */
  at: z.int(),
  /** The name of the moderator who acted; empty for a command of the server's administrator. */
  staffName: z.string(),
  act: z.enum(auditActions),
  classId: randomId.nullable(),
  /** The label of the class; null without a class, or after the class is erased. */
  label: z.string().nullable(),
  memberId: randomId.nullable(),
  caseId: randomId.nullable(),
  reason: z.string(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});

export type AuditEntry = z.infer<typeof auditEntrySchema>;

const auditQuery = z.strictObject({
  /** Selects entries with a smaller number. */
  before: z.coerce.number().int().min(1).optional(),
  act: z.enum(auditActions).optional(),
  /** The whole name; empty for the command line. */
  staffName: z.string().max(limits.staffName).optional(),
  classId: randomId.optional(),
});

const reviewParams = z.strictObject({ reviewId: randomId });

/** How much waits for the viewer's decision. */
export const waitingWorkSchema = z.strictObject({
  openCases: z.int().min(0),
  escalations: z.int().min(0),
  appeals: z.int().min(0),
  /** Requests of other operators to unmask. */
  unmaskings: z.int().min(0),
  /** Only for operators. */
  reportsFromOutside: z.int().min(0),
  /** The day of the oldest case, review or report from outside. */
  oldestDay: day.nullable(),
});
export type WaitingWork = z.infer<typeof waitingWorkSchema>;

export const moderationCalls = {
  readWaitingWork: {
    route: 'GET /api/moderation/work',
    who: 'account',
    reply: waitingWorkSchema,
  },
  listOwnDecisions: {
    route: 'GET /api/decisions',
    who: 'account',
    /** Holds about thirty decisions. */
    paddedBytes: 4096, // MOD-103
    /** Sorted by class. */
    reply: z.strictObject({ decisions: z.array(ownDecisionSchema) }),
  },
  listOwnSanctions: {
    route: 'GET /api/me/sanctions',
    who: 'account',
    paddedBytes: sanctionBytes,
    openToSuspended: true,
    /** Newest first. */
    reply: z.strictObject({ sanctions: z.array(ownSanctionSchema) }),
  },
  appeal: {
    route: 'POST /api/me/sanctions/:sanctionId/appeal',
    who: 'account',
    openToSuspended: true,
    params: z.strictObject({ sanctionId: randomId }),
    body: appealBody,
    reply: z.strictObject({ appealed: z.literal(true) }),
  },
  reportMember: {
    route: 'POST /api/classes/:classId/reports',
    who: 'member',
    params: classParams,
    body: reportBody,
    reply: z.strictObject({
      reported: z.literal(true),
      /** The school's help line, if it has one, after a report of a threat. */
      helpLine: z.string().nullable(),
    }),
  },
  listOwnReports: {
    route: 'GET /api/classes/:classId/reports',
    who: 'member',
    params: classParams,
    /** Newest first. */
    reply: z.strictObject({ reports: z.array(ownReportSchema) }),
  },
  listCases: {
    route: 'GET /api/moderation/cases',
    who: 'caseModerator',
    query: caseQuery,
    reply: z.strictObject({
      /** Newest first. */
      cases: z.array(caseSchema),
      /** The `before` of the next page; null if there are no more. */
      next: randomId.nullable(),
      /** The text of HELP_LINE. */
      helpLine: z.string().nullable(),
    }),
  },
  readCaseContext: {
    route: 'GET /api/moderation/cases/:caseId/context',
    who: 'caseModerator',
    params: caseParams,
    reply: contextSchema,
  },
  decideCase: {
    route: 'POST /api/moderation/cases/:caseId/decision',
    who: 'caseModerator',
    params: caseParams,
    body: decisionBody,
    reply: z.strictObject({ case: caseSchema }),
  },
  undoDecision: {
    route: 'DELETE /api/moderation/cases/:caseId/decision',
    who: 'caseModerator',
    params: caseParams,
    reply: z.strictObject({ case: caseSchema }),
  },
  decideReview: {
    route: 'POST /api/moderation/reviews/:reviewId/decision',
    who: 'caseModerator',
    factor: 'duty',
    params: reviewParams,
    body: reviewBody,
    reply: z.strictObject({ case: caseSchema }),
  },
  undoReview: {
    route: 'DELETE /api/moderation/reviews/:reviewId/decision',
    who: 'caseModerator',
    factor: 'duty',
    params: reviewParams,
    reply: z.strictObject({ case: caseSchema }),
  },
  liftSuspension: {
    route: 'DELETE /api/moderation/suspensions/:suspensionId',
    who: 'operator',
    factor: 'duty',
    params: z.strictObject({ suspensionId: randomId }),
    body: liftingBody,
    reply: emptySchema,
  },
  readModeratedMember: {
    route: 'GET /api/moderation/members/:classId/:memberId',
    who: 'moderator',
    params: z.strictObject({ classId: randomId, memberId: randomId }),
    reply: moderatedMemberSchema,
  },
  liftSanction: {
    route: 'DELETE /api/moderation/members/:classId/:memberId/sanctions/:sanctionId',
    who: 'moderator',
    params: z.strictObject({ classId: randomId, memberId: randomId, sanctionId: randomId }),
    body: liftingBody,
    reply: emptySchema,
  },
  listAuditLog: {
    route: 'GET /api/moderation/audit',
    who: 'operator',
    query: auditQuery,
    reply: z.strictObject({
      /** Newest first. */
      entries: z.array(auditEntrySchema),
      /** Whether there are older entries. */
      hasOlder: z.boolean(),
    }),
  },
} as const;
