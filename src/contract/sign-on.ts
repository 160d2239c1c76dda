// Sign-on through the university's OpenID Connect provider.
import { z } from 'zod';
import { createLineSchema, emptySchema, password, token } from './call-fields.ts';

export const signOnCalls = {
  startSignOn: {
    body: z.strictObject({ again: z.boolean() }),
    /** The page of the provider. */
    reply: z.strictObject({ providerUrl: z.string() }),
  },
  finishSignOn: {
    /** The query that the provider added to the address of the page. */
    body: z.strictObject({ response: createLineSchema('The response', 4000) }),
    /** The address of the account that the person must prove to own. Null means that the person is signed in. */
    reply: z.strictObject({ email: z.string().nullable() }),
  },
  mailSignOnLink: { reply: emptySchema },
  joinSignOn: {
    body: z.union([z.strictObject({ password }), z.strictObject({ token })]),
    reply: emptySchema,
  },
} as const;
