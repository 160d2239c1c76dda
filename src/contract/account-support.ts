// Help of operators for one account.
import { z } from 'zod';
import { day, email, nothing } from './call-fields.ts';

/** One account as operators see it: nothing of its classes, personas or messages. */
export const supportedAccountSchema = z.strictObject({
  /** Its own spelling, which can differ from the one that was searched for. */
  accountAddress: z.string(),
  verified: z.boolean(),
  joiningDay: day,
  signsInWith: z.array(z.enum(['password', 'provider'])),
  /** As the account itself lists them. */
  signedInOn: z.array(z.strictObject({ deviceName: z.string(), signInDay: day })),
});
export type SupportedAccount = z.infer<typeof supportedAccountSchema>;

export const accountSupportCalls = {
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
} as const;
