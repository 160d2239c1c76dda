// Sign-on through the university's OpenID Connect provider.
import { z } from 'zod';
import { createLineSchema, emptySchema, password, token } from './call-fields.ts';

export const signOnCalls = {
  startSignOn: {
    route: 'POST /api/auth/sign-on',
    who: 'anyone',
    limit: 'signOns',
    body: z.strictObject({ again: z.boolean() }),
    /** The page of the provider. */
    reply: z.strictObject({ providerUrl: z.string() }),
  },
  finishSignOn: {
    route: 'POST /api/auth/sign-on/finish',
    who: 'anyone',
    limit: 'signOns',
    /** The query that the provider added to the address of the page. */
    body: z.strictObject({ response: createLineSchema('The response', 4000) }),
    /** The address of the account that the person must prove to own. Null means that the person is signed in. */
    reply: z.strictObject({ email: z.string().nullable() }),
  },
  mailSignOnLink: {
    route: 'POST /api/auth/sign-on/link',
    who: 'anyone',
    limit: 'resets',
    reply: emptySchema,
  },
  joinSignOn: {
    route: 'POST /api/auth/sign-on/join',
    who: 'anyone',
    body: z.union([z.strictObject({ password }), z.strictObject({ token })]),
    reply: emptySchema,
  },
} as const;
