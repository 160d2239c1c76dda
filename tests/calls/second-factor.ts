// The calls of the second factor. The server of the largest data has a provider, and so no second factor.
import type { secondFactorCalls as contract } from '#contract/second-factor.ts';
import { unknownId, type ByPerson, type CallOutcome, type FactsOf, type Largest } from './facts.ts';

/** Only operators and moderators can have passkeys. */
const others: ByPerson<CallOutcome> = {
  stranger: 'NOT_ALLOWED',
  former: 'NOT_ALLOWED',
  member: 'NOT_ALLOWED',
  muted: 'NOT_ALLOWED',
  author: 'NOT_ALLOWED',
  staff: 'NOT_ALLOWED',
  formerModerator: 'NOT_ALLOWED',
  formerOperator: 'NOT_ALLOWED',
};
const largest: Largest = {
  values: () => ({
    passkeyId: [unknownId],
    passkeyName: ['x'],
    credentialId: ['A'.repeat(1364)],
    clientData: ['A'.repeat(4000)],
    attestation: ['A'.repeat(8000)],
    authenticatorData: ['A'.repeat(4000)],
    signature: ['A'.repeat(2000)],
  }),
  answer: 'NOT_FOUND',
};
const changesNothing = 'All later calls of the account would need the second factor.';
const answer = { credentialId: 'AAAA', clientData: 'AAAA' };

export const secondFactorCalls = {
  listPasskeys: { largest },
  startPasskey: {
    outcome: 'WRONG_PASSWORD',
    but: others,
    body: ({ password }) => ({ password }),
    changesNothing: 'It stores nothing.',
    largest,
  },
  addPasskey: {
    outcome: 'FACTOR_WRONG',
    but: others,
    body: () => ({ passkeyName: 'Laptop', attestation: 'AAAA', ...answer }),
    changesNothing,
    largest,
  },
  removePasskey: {
    outcome: 'WRONG_PASSWORD',
    body: ({ password }) => ({ password }),
    changesNothing,
    largest,
  },
  renewRecoveryCodes: {
    outcome: 'WRONG_PASSWORD',
    body: ({ password }) => ({ password }),
    changesNothing,
    largest,
  },
  startProof: { changesNothing: 'It stores nothing.', largest },
  proveFactor: {
    outcome: 'FACTOR_WRONG',
    body: () => ({ authenticatorData: 'AAAA', signature: 'AAAA', ...answer }),
    changesNothing,
    largest,
  },
} satisfies FactsOf<typeof contract>;
