// Requests of operators to find the account behind a persona.
import { z } from 'zod';
import { caseParams, passwordIfAny } from './call-fields.ts';
import { randomId } from './entities.ts';
import { limits } from './limits.ts';
import { unmaskingSettingSchema } from './transparency.ts';

/** The domain counts the characters of the reason. */
const unmaskingBody = z.strictObject({
  password: passwordIfAny,
  reason: z.string('A reason must be text.').max(4 * limits.decisionReason),
});
const confirmationBody = z.strictObject({ password: passwordIfAny });

/** A request of one operator, which another operator can confirm within 24 hours. It has no data of the account. */
export const unmaskingRequestSchema = z.strictObject({
  requestId: randomId,
  caseId: randomId,
  /** The label of the class. */
  label: z.string(),
  reason: z.string(),
  /** 'impossible': the request was confirmed, and no account was found. */
  state: z.enum(['open', 'expired', 'withdrawn', 'used', 'impossible']),
  /** The name of the operator under which the audit log lists the request. */
  requestedBy: z.string(),
  /** Whether the account that makes the call opened the request. */
  own: z.boolean(),
  /** The name of the operator who confirmed or withdrew the request. */
  closedBy: z.string().nullable(),
  /** Rounded down to the minute. */
  requestedAt: z.int(),
  expiresAt: z.int(),
});
export type UnmaskingRequest = z.infer<typeof unmaskingRequestSchema>;

export const caseUnmaskingSchema = z.strictObject({
  unmasking: unmaskingSettingSchema,
  /** The reason why no request is possible on this case. */
  refusal: z.enum(['off', 'too-old', 'ended']).nullable(),
  /** Newest first. */
  requests: z.array(unmaskingRequestSchema),
});
export type CaseUnmasking = z.infer<typeof caseUnmaskingSchema>;

const requestParams = z.strictObject({ requestId: randomId });

export const unmaskingCalls = {
  /** The open requests of all cases. */
  listUnmaskings: {
    route: 'GET /api/moderation/unmaskings',
    who: 'operator',
    reply: z.strictObject({ requests: z.array(unmaskingRequestSchema) }),
  },
  readUnmasking: {
    route: 'GET /api/moderation/cases/:caseId/unmaskings',
    who: 'operator',
    params: caseParams,
    reply: caseUnmaskingSchema,
  },
  requestUnmasking: {
    route: 'POST /api/moderation/cases/:caseId/unmaskings',
    who: 'operator',
    factor: 'duty',
    limit: 'unmaskings',
    params: caseParams,
    body: unmaskingBody,
    reply: caseUnmaskingSchema,
  },
  confirmUnmasking: {
    route: 'POST /api/moderation/unmaskings/:requestId/confirmation',
    who: 'operator',
    factor: 'duty',
    params: requestParams,
    body: confirmationBody,
    /** The email address of the account. It is in no other reply. */
    reply: z.strictObject({ address: z.string() }),
  },
  withdrawUnmasking: {
    route: 'DELETE /api/moderation/unmaskings/:requestId',
    who: 'operator',
    params: requestParams,
    reply: caseUnmaskingSchema,
  },
} as const;
