// What moderation tells about itself: figures without names, and requests to find the account behind a persona.
import { z } from 'zod';
import { randomId } from './entities.ts';
import { limits } from './limits.ts';
import { isPlainLine } from './text.ts';

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

/** The figures of the whole site. The acts that count for each are in features/moderation/transparency/transparency.ts. */
export const siteFigures = [
  'reports',
  'removedMessages',
  'mutes',
  'removals',
  'suspensions',
  'unmaskings',
] as const;
export type SiteFigure = (typeof siteFigures)[number];

/** The figures of one class. */
export const classFigures = ['removedMessages', 'mutedMembers', 'removedMembers'] as const;
export type ClassFigure = (typeof classFigures)[number];

const count = z.int().min(0);

export const unmaskingSettingSchema = z.strictObject({
  on: z.boolean(),
  /** The day since which unmasking is on; null if it is off. */
  since: day.nullable(),
});
export type UnmaskingSetting = z.infer<typeof unmaskingSettingSchema>;

/** The counts end with the last complete day, so that they tell no moment. */
export const siteOpennessSchema = z.strictObject({
  figures: z.array(z.strictObject({ figure: z.enum(siteFigures), recent: count, total: count })),
  /** The last day that counts (UTC). `recent` covers 30 days. */
  through: day,
  unmasking: unmaskingSettingSchema,
});

export const classOpennessSchema = z.strictObject({
  figures: z.array(z.strictObject({ figure: z.enum(classFigures), recent: count })),
  through: day,
  unmasking: unmaskingSettingSchema,
});

const password = z
  .string('Password must be text.')
  .max(1000, 'Password is too long.')
  .refine(isPlainLine, 'Password contains a character that is not allowed.');

/** The domain counts the characters of the reason. */
export const unmaskingBody = z.strictObject({
  password,
  reason: z.string('A reason must be text.').max(4 * limits.decisionReason),
});
export const confirmationBody = z.strictObject({ password });

/** A request of one operator, which another operator can confirm within 24 hours. It says nothing of the account. */
export const unmaskingRequestSchema = z.strictObject({
  requestId: randomId,
  caseId: randomId,
  /** The label of the class. */
  label: z.string(),
  reason: z.string(),
  /** 'impossible': it was confirmed, and no account was found. */
  state: z.enum(['open', 'expired', 'withdrawn', 'used', 'impossible']),
  /** The name of the operator under which the audit log lists the request. */
  requestedBy: z.string(),
  /** Whether the account that asks opened it. */
  own: z.boolean(),
  /** Who confirmed or withdrew it. */
  closedBy: z.string().nullable(),
  /** Rounded down to the minute. */
  requestedAt: z.int(),
  expiresAt: z.int(),
});
export type UnmaskingRequest = z.infer<typeof unmaskingRequestSchema>;

export const caseUnmaskingSchema = z.strictObject({
  unmasking: unmaskingSettingSchema,
  /** Why no request is possible on this case. */
  refusal: z.enum(['off', 'too-old', 'ended']).nullable(),
  /** Newest first. */
  requests: z.array(unmaskingRequestSchema),
});
export type CaseUnmasking = z.infer<typeof caseUnmaskingSchema>;
