// The address and the close codes of the socket. They are not in routes.ts and errors.ts, because the sign-in
// screen does not need them.

/** The address of the socket and the version of its frames. */
export const socketPath = '/live'; // WIRE-1
export const subprotocol = 'backchannel.v1'; // WIRE-1

/** Why the server closes a socket. The browser reconnects after all of them except `signedOut`. */
export const closeCodes = {
  signedOut: 4001, // WIRE-17
  badFrame: 4002, // WIRE-3
  tooSlow: 4008, // WIRE-6
  shutdown: 1012, // START-4
} as const;
