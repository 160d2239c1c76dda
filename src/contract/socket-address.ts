export const socketPath = '/live';
export const subprotocol = 'backchannel.v1';

/** Why the server ends a socket; after all but `signedOut` the browser comes back. */
export const closeCodes = {
  signedOut: 4001,
  badFrame: 4002,
  tooSlow: 4008,
  shutdown: 1012,
} as const;
