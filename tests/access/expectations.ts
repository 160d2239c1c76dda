// The access expectations of every call and every frame of the contract, for each kind of person. If the
// contract grows and this file does not, tests/access/access.test.ts fails.
import type { RouteName } from '#contract/routes.ts';
import type { ClientFrame } from '#contract/socket.ts';

/**
 * `unverified` has an account where verification is required. `former` left the class after posting a
 * message. `author` created the class and posted the message that the others try to change.
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

/** One outcome per person, in the order of `people`. */
type Row<Outcome> = readonly [Outcome, Outcome, Outcome, Outcome, Outcome, Outcome];

/** The status of the response. */
export const expectedOfCalls: Record<RouteName, Row<number>> = {
  //                     out  unv  str  for  mem  aut
  signUp: /*          */ [200, 200, 200, 200, 200, 200],
  signIn: /*          */ [401, 403, 200, 200, 200, 200],
  signOut: /*         */ [200, 200, 200, 200, 200, 200],
  requestPasswordReset: [200, 200, 200, 200, 200, 200],
  // The link is invalid.
  resetPassword: /*   */ [400, 400, 400, 400, 400, 400],
  verifyEmail: /*     */ [400, 400, 400, 400, 400, 400],
  me: /*              */ [200, 200, 200, 200, 200, 200],
  listDevices: /*     */ [401, 401, 200, 200, 200, 200],
  // A member can end only their own devices. To end an unknown device changes nothing.
  signOutDevice: /*   */ [401, 401, 200, 200, 200, 200],
  signOutOtherDevices: [401, 401, 200, 200, 200, 200],
  exportAccount: /*   */ [401, 401, 200, 200, 200, 200],
  // The password is wrong.
  changePassword: /*  */ [401, 401, 403, 403, 403, 403],
  deleteAccount: /*   */ [401, 401, 403, 403, 403, 403],
  listClasses: /*     */ [401, 401, 200, 200, 200, 200],
  createClass: /*     */ [401, 401, 200, 200, 200, 200],
  readClass: /*       */ [401, 401, 200, 200, 200, 200],
  joinClass: /*       */ [401, 401, 200, 200, 200, 200],
  // To leave a class without being a member is not an error and changes nothing.
  leaveClass: /*      */ [401, 401, 200, 200, 200, 200],
  listMembers: /*     */ [401, 401, 404, 404, 200, 200],
  changePersona: /*   */ [401, 401, 404, 404, 200, 200],
  listMessages: /*    */ [401, 401, 404, 404, 200, 200],
  // The body is not a picture.
  uploadImage: /*     */ [401, 401, 404, 404, 400, 400],
  deleteImage: /*     */ [401, 401, 404, 404, 200, 200],
  schoolTheme: /*     */ [200, 200, 200, 200, 200, 200],
  // This server answers searches itself, so there is no hosted search key.
  searchAccess: /*    */ [401, 401, 404, 404, 404, 404],
  searchClasses: /*   */ [401, 401, 200, 200, 200, 200],
};

/**
 * `401`: the socket does not open. `heard`: the class received it. `silence`: no answer, and the class
 * received nothing. `room`: the messages of the room arrived. Otherwise the answer type or its error code.
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
