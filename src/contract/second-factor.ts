// The second factor of operators and moderators: passkeys, and recovery codes that each work once.
import { z } from 'zod';
import { createLineSchema, day, emptySchema, passwordIfAny } from './call-fields.ts';
import { randomId } from './entities.ts';
import type { ErrorReason } from './errors.ts';
import { limits } from './limits.ts';

const toBytesSchema = (max: number) =>
  z
    .string()
    .regex(/^[\w-]+$/)
    .max(max);

/** An id has at most 1023 bytes. */
const credentialId = toBytesSchema(1364);

const challengeSchema = z.strictObject({
  challenge: z.string(),
  /** The host to which browsers bind the passkeys. */
  passkeyHost: z.string(),
  /** The ids by which the authenticators know the account's passkeys. */
  credentialIds: z.array(credentialId),
});

const passkeySchema = z.strictObject({
  passkeyId: randomId,
  passkeyName: z.string(),
  addedDay: day,
});
export type Passkey = z.infer<typeof passkeySchema>;

const passkeyName = createLineSchema('The name', limits.passkeyName).refine(
  (name) => name.trim() !== '',
  'PASSKEY_NAME' satisfies ErrorReason,
);

const recoveryCodesSchema = z.strictObject({
  /** Empty if the account keeps its earlier codes. They are in no other reply. */
  recoveryCodes: z.array(z.string()),
});

export const secondFactorCalls = {
  listPasskeys: {
    route: 'GET /api/me/passkeys',
    who: 'account',
    reply: z.strictObject({
      passkeys: z.array(passkeySchema),
      /** How many recovery codes were not used. */
      codesLeft: z.int(),
    }),
  },
  startPasskey: {
    route: 'POST /api/me/passkeys/challenge',
    who: 'account',
    factor: 'ifAny',
    body: z.strictObject({ password: passwordIfAny }),
    reply: challengeSchema.extend({
      /** Names the account for authenticators. */
      key: z.string(),
    }),
  },
  addPasskey: {
    route: 'POST /api/me/passkeys',
    who: 'account',
    factor: 'ifAny',
    body: z.strictObject({
      passkeyName,
      credentialId,
      clientData: toBytesSchema(4000),
      attestation: toBytesSchema(8000),
    }),
    reply: recoveryCodesSchema,
  },
  removePasskey: {
    route: 'POST /api/me/passkeys/:passkeyId/removal',
    who: 'account',
    factor: 'ifAny',
    params: z.strictObject({ passkeyId: randomId }),
    body: z.strictObject({ password: passwordIfAny }),
    reply: emptySchema,
  },
  renewRecoveryCodes: {
    route: 'POST /api/me/recovery-codes',
    who: 'account',
    factor: 'ifAny',
    body: z.strictObject({ password: passwordIfAny }),
    reply: recoveryCodesSchema,
  },
  startProof: {
    route: 'POST /api/me/factor/challenge',
    who: 'account',
    openToSuspended: true,
    reply: challengeSchema,
  },
  proveFactor: {
    route: 'POST /api/me/factor',
    who: 'account',
    limit: 'factorTries',
    openToSuspended: true,
    body: z.union([
      z.strictObject({ recoveryCode: createLineSchema('The code', 100) }),
      z.strictObject({
        credentialId,
        clientData: toBytesSchema(4000),
        authenticatorData: toBytesSchema(4000),
        signature: toBytesSchema(2000),
      }),
    ]),
    reply: emptySchema,
  },
} as const;
