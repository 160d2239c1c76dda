// Help of operators for one account.
import { z } from 'zod';
import { day, email, emptySchema } from './call-fields.ts';
import { randomId } from './entities.ts';
import { limits } from './limits.ts';

/** One account as operators see it: nothing of its classes, personas or messages. */
export const supportedAccountSchema = z.strictObject({
  /** The account's own spelling, which can differ from the one that the operator typed. */
  accountAddress: z.string(),
  verified: z.boolean(),
  joiningDay: day,
  signsInWith: z.array(z.enum(['password', 'provider'])),
  /** The same list that the account itself sees. */
  signedInOn: z.array(z.strictObject({ deviceName: z.string(), signInDay: day })),
});
export type SupportedAccount = z.infer<typeof supportedAccountSchema>;

/** Why an address has no account and gets no mail. The domain counts the characters. */
const blockReason = z.string('A reason must be text.').max(4 * limits.decisionReason);

/** A block, without the address, which the server does not store. */
const blockedAddressSchema = z.strictObject({
  blockId: randomId,
  blockedDay: day,
  reason: z.string(),
});

export const accountSupportCalls = {
  /** Null if no account would sign in with this address. */
  findAccount: {
    route: 'POST /api/admin/accounts/search',
    who: 'operator',
    limit: 'accountSearches',
    body: z.strictObject({ email }),
    reply: z.strictObject({ supported: supportedAccountSchema.nullable() }),
  },
  resendVerification: {
    route: 'POST /api/admin/accounts/verification',
    who: 'operator',
    factor: 'duty',
    limit: 'accountSearches',
    body: z.strictObject({ email }),
    reply: emptySchema,
  },
  sendResetLink: {
    route: 'POST /api/admin/accounts/reset-link',
    who: 'operator',
    factor: 'duty',
    limit: 'accountSearches',
    body: z.strictObject({ email }),
    reply: emptySchema,
  },
  correctAddress: {
    route: 'POST /api/admin/accounts/address',
    who: 'operator',
    factor: 'duty',
    limit: 'accountSearches',
    body: z.strictObject({ email, newEmail: email }),
    reply: emptySchema,
  },
  endAccountSessions: {
    route: 'POST /api/admin/accounts/sessions/end',
    who: 'operator',
    factor: 'duty',
    limit: 'accountSearches',
    body: z.strictObject({ email }),
    reply: emptySchema,
  },
  exportFoundAccount: {
    route: 'POST /api/admin/accounts/export',
    who: 'operator',
    factor: 'duty',
    limit: 'accountSearches',
    body: z.strictObject({ email }),
    reply: z.strictObject({ supported: supportedAccountSchema }),
  },
  deleteFoundAccount: {
    route: 'POST /api/admin/accounts/deletion',
    who: 'operator',
    factor: 'duty',
    limit: 'accountSearches',
    /** The address is typed twice. */
    body: z.strictObject({
      email,
      repeatedEmail: email,
      messages: z.enum(['keep', 'delete']).default('keep'),
      /** Blocks the address, too. */
      blockReason: blockReason.optional(),
    }),
    reply: emptySchema,
  },
  listBlockedAddresses: {
    route: 'GET /api/admin/blocked-addresses',
    who: 'operator',
    /** Newest first. */
    reply: z.strictObject({ blocks: z.array(blockedAddressSchema) }),
  },
  blockAddress: {
    route: 'POST /api/admin/blocked-addresses',
    who: 'operator',
    factor: 'duty',
    limit: 'accountSearches',
    body: z.strictObject({ email, blockReason }),
    reply: emptySchema,
  },
  unblockAddress: {
    route: 'DELETE /api/admin/blocked-addresses/:blockId',
    who: 'operator',
    factor: 'duty',
    limit: 'accountSearches',
    params: z.strictObject({ blockId: randomId }),
    reply: emptySchema,
  },
} as const;
