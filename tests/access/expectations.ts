// Who may do what: an expectation for every call and every frame of the contract, and for everybody.
// What is added to the contract is added here, or tests/access/access.test.ts fails.
import type { RouteName } from '#contract/routes.ts';
import type { ClientFrame } from '#contract/socket.ts';

/**
 * `unverified` has an account where verification is required, `former` was a member and said
 * something, `author` said what the others try to change, and made the class.
 */
export const people = [
  'signedOut',
  'unverified',
  'stranger',
  'former',
  'member',
  'author',
] as const;
export type Person = (typeof people)[number];

/** In the order of `people`. */
type Row<Outcome> = readonly [Outcome, Outcome, Outcome, Outcome, Outcome, Outcome];

/** The status of the answer. */
export const expectedOfCalls: Record<RouteName, Row<number>> = {
  //                     out  unv  str  for  mem  aut
  signUp: /*          */ [200, 200, 200, 200, 200, 200],
  signIn: /*          */ [401, 403, 200, 200, 200, 200],
  signOut: /*         */ [200, 200, 200, 200, 200, 200],
  requestPasswordReset: [200, 200, 200, 200, 200, 200],
  // With a link that is none.
  resetPassword: /*   */ [400, 400, 400, 400, 400, 400],
  verifyEmail: /*     */ [400, 400, 400, 400, 400, 400],
  me: /*              */ [200, 200, 200, 200, 200, 200],
  listDevices: /*     */ [401, 401, 200, 200, 200, 200],
  // Of one's own alone; to end one that is not there changes nothing.
  signOutDevice: /*   */ [401, 401, 200, 200, 200, 200],
  signOutOtherDevices: [401, 401, 200, 200, 200, 200],
  exportAccount: /*   */ [401, 401, 200, 200, 200, 200],
  // With another password than the account's.
  changePassword: /*  */ [401, 401, 403, 403, 403, 403],
  deleteAccount: /*   */ [401, 401, 403, 403, 403, 403],
  listClasses: /*     */ [401, 401, 200, 200, 200, 200],
  createClass: /*     */ [401, 401, 200, 200, 200, 200],
  readClass: /*       */ [401, 401, 200, 200, 200, 200],
  joinClass: /*       */ [401, 401, 200, 200, 200, 200],
  // Leaving what one is not in is no error, and changes nothing.
  leaveClass: /*      */ [401, 401, 200, 200, 200, 200],
  listMembers: /*     */ [401, 401, 404, 404, 200, 200],
  changePersona: /*   */ [401, 401, 404, 404, 200, 200],
  listMessages: /*    */ [401, 401, 404, 404, 200, 200],
  // With a body that is no picture.
  uploadImage: /*     */ [401, 401, 404, 404, 400, 400],
  deleteImage: /*     */ [401, 401, 404, 404, 200, 200],
  schoolTheme: /*     */ [200, 200, 200, 200, 200, 200],
  // This server is asked itself.
  searchAccess: /*    */ [401, 401, 404, 404, 404, 404],
  searchClasses: /*   */ [401, 401, 200, 200, 200, 200],
};

/**
 * `401`: there is no socket to send it on. `heard`: the class heard of it; `silence`: no answer, and
 * nobody heard anything; `room`: the room's messages came; else the answer, or its code.
 */
export type FrameOutcome =
  | '401'
  | 'ack'
  | 'room'
  | 'heard'
  | 'silence'
  | 'NOT_FOUND'
  | 'NOT_YOUR_MESSAGE'
  | 'NOT_YOURS_TO_EDIT'
  | 'OWN_REACTION';

export const expectedOfFrames: Record<ClientFrame['type'], Row<FrameOutcome>> = {
  subscribe: ['401', '401', 'NOT_FOUND', 'NOT_FOUND', 'room', 'room'],
  unsubscribe: ['401', '401', 'silence', 'silence', 'silence', 'silence'],
  post: ['401', '401', 'NOT_FOUND', 'NOT_FOUND', 'ack', 'ack'],
  edit: ['401', '401', 'NOT_FOUND', 'NOT_FOUND', 'NOT_YOURS_TO_EDIT', 'ack'],
  delete: ['401', '401', 'NOT_FOUND', 'NOT_FOUND', 'NOT_YOUR_MESSAGE', 'ack'],
  react: ['401', '401', 'NOT_FOUND', 'NOT_FOUND', 'ack', 'OWN_REACTION'],
  read: ['401', '401', 'silence', 'silence', 'silence', 'silence'],
  typing: ['401', '401', 'silence', 'silence', 'heard', 'heard'],
};
