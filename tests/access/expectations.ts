// The access expectations of every call and every frame of the contract, for each kind of person. If the
// contract grows and this file does not, tests/access/access.test.ts fails.
import type { RouteName } from '#contract/routes.ts';
import type { ClientFrame } from '#contract/socket.ts';

/**
 * `unverified` has an account where verification is required. `former` left the class after posting a
 * message. `author` created the class and posted the message that the others try to change. `moderator` moderates the
 * class, `otherModerator` another one, and `operator` all classes. `staff` may
 * speak as staff in it; none of them is in the class.
 */
export const people = [
  'signedOut',
  'unverified',
  'stranger',
  'former',
  'member',
  'author',
  'otherModerator',
  'moderator',
  'operator',
  'staff',
] as const;
export type Person = (typeof people)[number];

/** One outcome per person, in the order of `people`. */
type Row<Outcome> = readonly Outcome[] & { length: 10 };

/** The status of the response. */
export const expectedOfCalls: Record<RouteName, Row<number>> = {
  //                     out  unv  str  for  mem  aut  oth  mod  ope  sta
  signUp: /*          */ [200, 200, 200, 200, 200, 200, 200, 200, 200, 200],
  signIn: /*          */ [401, 403, 200, 200, 200, 200, 200, 200, 200, 200],
  signOut: /*         */ [200, 200, 200, 200, 200, 200, 200, 200, 200, 200],
  requestPasswordReset: [200, 200, 200, 200, 200, 200, 200, 200, 200, 200],
  // The link is invalid.
  resetPassword: /*   */ [400, 400, 400, 400, 400, 400, 400, 400, 400, 400],
  verifyEmail: /*     */ [400, 400, 400, 400, 400, 400, 400, 400, 400, 400],
  // This server has no provider.
  startSignOn: /*     */ [404, 404, 404, 404, 404, 404, 404, 404, 404, 404],
  finishSignOn: /*    */ [404, 404, 404, 404, 404, 404, 404, 404, 404, 404],
  mailSignOnLink: /*  */ [404, 404, 404, 404, 404, 404, 404, 404, 404, 404],
  joinSignOn: /*      */ [404, 404, 404, 404, 404, 404, 404, 404, 404, 404],
  me: /*              */ [200, 200, 200, 200, 200, 200, 200, 200, 200, 200],
  listDevices: /*     */ [401, 401, 200, 200, 200, 200, 200, 200, 200, 200],
  // A member can end only their own devices. To end an unknown device changes nothing.
  signOutDevice: /*   */ [401, 401, 200, 200, 200, 200, 200, 200, 200, 200],
  signOutOtherDevices: [401, 401, 200, 200, 200, 200, 200, 200, 200, 200],
  listOwnSanctions: /**/ [401, 401, 200, 200, 200, 200, 200, 200, 200, 200],
  // No one has this sanction.
  appeal: /*          */ [401, 401, 404, 404, 404, 404, 404, 404, 404, 404],
  readNotifications: /**/ [401, 401, 200, 200, 200, 200, 200, 200, 200, 200],
  saveNotifications: /**/ [401, 401, 200, 200, 200, 200, 200, 200, 200, 200],
  // This server has no mail server.
  saveDigest: /*      */ [401, 401, 403, 403, 403, 403, 403, 403, 403, 403],
  subscribePush: /*   */ [401, 401, 200, 200, 200, 200, 200, 200, 200, 200],
  unsubscribePush: /* */ [401, 401, 200, 200, 200, 200, 200, 200, 200, 200],
  exportAccount: /*   */ [401, 401, 200, 200, 200, 200, 200, 200, 200, 200],
  // The password is wrong.
  changePassword: /*  */ [401, 401, 403, 403, 403, 403, 403, 403, 403, 403],
  deleteAccount: /*   */ [401, 401, 403, 403, 403, 403, 403, 403, 403, 403],
  listClasses: /*     */ [401, 401, 200, 200, 200, 200, 200, 200, 200, 200],
  createClass: /*     */ [401, 401, 200, 200, 200, 200, 200, 200, 200, 200],
  readClass: /*       */ [401, 401, 200, 200, 200, 200, 200, 200, 200, 200],
  readClassSettings: /**/ [401, 401, 404, 404, 200, 200, 404, 200, 200, 404],
  changeClassSettings: [401, 401, 403, 403, 403, 403, 403, 200, 200, 403],
  joinClass: /*       */ [401, 401, 200, 200, 200, 200, 200, 200, 200, 200],
  // To leave a class without being a member is not an error and changes nothing.
  leaveClass: /*      */ [401, 401, 200, 200, 200, 200, 200, 200, 200, 200],
  listMembers: /*     */ [401, 401, 404, 404, 200, 200, 404, 404, 404, 404],
  changePersona: /*   */ [401, 401, 404, 404, 200, 200, 404, 404, 404, 404],
  readPreferences: /* */ [401, 401, 404, 404, 200, 200, 404, 404, 404, 404],
  savePreferences: /* */ [401, 401, 404, 404, 200, 200, 404, 404, 404, 404],
  chooseNotifications: [401, 401, 404, 404, 200, 200, 404, 404, 404, 404],
  listMessages: /*    */ [401, 401, 404, 404, 200, 200, 404, 404, 404, 404],
  searchMessages: /*  */ [401, 401, 404, 404, 200, 200, 404, 404, 404, 404],
  listQuestions: /*   */ [401, 401, 404, 404, 200, 200, 404, 404, 404, 404],
  // The message is no poll.
  readPoll: /*        */ [401, 401, 404, 404, 409, 409, 404, 404, 404, 404],
  closePoll: /*       */ [401, 401, 404, 404, 409, 409, 404, 404, 404, 404],
  startLecture: /*    */ [401, 401, 403, 403, 403, 403, 403, 200, 200, 200],
  // They change nothing without a lecture. A link and a poll in the hall need one.
  endLecture: /*      */ [401, 401, 403, 403, 403, 403, 403, 200, 200, 200],
  // There is no lecture, and no question that waits.
  holdQuestions: /*   */ [401, 401, 403, 403, 403, 403, 403, 409, 409, 409],
  listWaitingQuestions: [401, 401, 403, 403, 403, 403, 403, 200, 200, 200],
  releaseQuestion: /* */ [401, 401, 403, 403, 403, 403, 403, 409, 409, 409],
  returnQuestion: /*  */ [401, 401, 403, 403, 403, 403, 403, 409, 409, 409],
  listOwnWaiting: /*  */ [401, 401, 404, 404, 200, 200, 404, 404, 404, 404],
  sendWaiting: /*     */ [401, 401, 404, 404, 404, 404, 404, 404, 404, 404],
  // To withdraw a question that is gone changes nothing.
  withdrawWaiting: /* */ [401, 401, 404, 404, 200, 200, 404, 404, 404, 404],
  listLectureQuestions: [401, 401, 404, 404, 200, 200, 404, 200, 200, 404],
  createPresenterLink: [401, 401, 403, 403, 403, 403, 403, 409, 409, 409],
  presentPoll: /*     */ [401, 401, 403, 403, 403, 403, 403, 409, 409, 409],
  revokePresenterLinks: [401, 401, 403, 403, 403, 403, 403, 200, 200, 200],
  // Without a token.
  readPresentation: /**/ [404, 404, 404, 404, 404, 404, 404, 404, 404, 404],
  listPictures: /*    */ [401, 401, 404, 404, 200, 200, 404, 404, 404, 404],
  // The body is not a picture.
  uploadImage: /*     */ [401, 401, 404, 404, 400, 400, 404, 404, 404, 404],
  deleteImage: /*     */ [401, 401, 404, 404, 200, 200, 404, 404, 404, 404],
  // The author may not report the own message.
  reportMember: /*    */ [401, 401, 404, 404, 200, 400, 404, 404, 404, 404],
  listOwnDecisions: /**/ [401, 401, 200, 200, 200, 200, 200, 200, 200, 200],
  listOwnReports: /*  */ [401, 401, 404, 404, 200, 200, 404, 404, 404, 404],
  // A role for another class gives no right in this class.
  listCases: /*       */ [401, 401, 403, 403, 403, 403, 403, 200, 200, 403],
  readCaseContext: /* */ [401, 401, 403, 403, 403, 403, 404, 200, 200, 403],
  // The moderator has decided before the operator tries.
  decideCase: /*      */ [401, 401, 403, 403, 403, 403, 404, 200, 200, 403],
  undoDecision: /*    */ [401, 401, 403, 403, 403, 403, 404, 200, 200, 403],
  // Operators decide escalations, and there is no such suspension. The case is escalated.
  decideReview: /*    */ [401, 401, 403, 403, 403, 403, 404, 403, 200, 403],
  undoReview: /*      */ [401, 401, 403, 403, 403, 403, 404, 403, 200, 403],
  liftSuspension: /*  */ [401, 401, 403, 403, 403, 403, 403, 403, 404, 403],
  readModeratedMember: [401, 401, 403, 403, 403, 403, 403, 200, 200, 403],
  // There is no such sanction.
  liftSanction: /*    */ [401, 401, 403, 403, 403, 403, 403, 404, 404, 403],
  readWaitingWork: /* */ [401, 401, 200, 200, 200, 200, 200, 200, 200, 200],
  listGrantedRoles: /**/ [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  // There is no such account, and no such role.
  grantRole: /*       */ [401, 401, 403, 403, 403, 403, 403, 403, 404, 403],
  revokeRole: /*      */ [401, 401, 403, 403, 403, 403, 403, 403, 404, 403],
  listAuditLog: /*    */ [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  readOverview: /*    */ [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  readSettingsInForce: [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  listAllClasses: /*  */ [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  editClass: /*       */ [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  endClass: /*        */ [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  reopenClass: /*     */ [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  deleteClass: /*     */ [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  // The class is not deleted.
  restoreClass: /*    */ [401, 401, 403, 403, 403, 403, 403, 403, 404, 403],
  // There is no such other class.
  previewMerge: /*    */ [401, 401, 403, 403, 403, 403, 403, 403, 404, 403],
  mergeClass: /*      */ [401, 401, 403, 403, 403, 403, 403, 403, 404, 403],
  importClasses: /*   */ [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  endTerm: /*         */ [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  reopenTerm: /*      */ [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  // The body names an account that does not exist.
  findAccount: /*     */ [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  resendVerification: /**/ [401, 401, 403, 403, 403, 403, 403, 403, 404, 403],
  sendResetLink: /*   */ [401, 401, 403, 403, 403, 403, 403, 403, 404, 403],
  correctAddress: /*  */ [401, 401, 403, 403, 403, 403, 403, 403, 404, 403],
  endAccountSessions: /**/ [401, 401, 403, 403, 403, 403, 403, 403, 404, 403],
  exportFoundAccount: /**/ [401, 401, 403, 403, 403, 403, 403, 403, 404, 403],
  deleteFoundAccount: /**/ [401, 401, 403, 403, 403, 403, 403, 403, 404, 403],
  listBlockedAddresses: [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  blockAddress: /*    */ [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  // There is no such block.
  unblockAddress: /*  */ [401, 401, 403, 403, 403, 403, 403, 403, 404, 403],
  listAnnouncements: [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  announce: /*        */ [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  // There is no such announcement.
  withdrawAnnouncement: [401, 401, 403, 403, 403, 403, 403, 403, 404, 403],
  readSiteTransparency: [200, 200, 200, 200, 200, 200, 200, 200, 200, 200],
  readClassTransparency: [401, 401, 404, 404, 200, 200, 404, 200, 200, 404],
  listUnmaskings: /*  */ [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  readUnmasking: /*   */ [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  requestUnmasking: /* */ [401, 401, 403, 403, 403, 403, 403, 403, 200, 403],
  // There is no such request.
  confirmUnmasking: /* */ [401, 401, 403, 403, 403, 403, 403, 403, 404, 403],
  withdrawUnmasking: /**/ [401, 401, 403, 403, 403, 403, 403, 403, 404, 403],
  // The link is invalid.
  unsubscribeDigest: /**/ [400, 400, 400, 400, 400, 400, 400, 400, 400, 400],
  countInterfaceError: [200, 200, 200, 200, 200, 200, 200, 200, 200, 200],
  schoolTheme: /*     */ [200, 200, 200, 200, 200, 200, 200, 200, 200, 200],
  // This server answers searches itself, so there is no hosted search key.
  searchAccess: /*    */ [401, 401, 404, 404, 404, 404, 404, 404, 404, 404],
  searchClasses: /*   */ [401, 401, 200, 200, 200, 200, 200, 200, 200, 200],
};

/** Who has a right to something in the class that a stranger has not. */
export type Holder = 'member' | 'moderator' | 'operator' | 'staff';
const holders: readonly Holder[] = ['member', 'moderator', 'operator', 'staff'];

/** Finds the holders who get another reply than a stranger. */
export function findHolders(name: RouteName): Holder[] {
  const getExpectedStatus = (person: Person) => expectedOfCalls[name][people.indexOf(person)];
  return holders.filter((holder) => getExpectedStatus(holder) !== getExpectedStatus('stranger'));
}

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
  | 'OWN_REACTION'
  | 'OWN_QUESTION'
  | 'NO_POLL'
  | 'NOT_ALLOWED';

export const expectedOfFrames: Record<ClientFrame['type'], Row<FrameOutcome>> = {
  subscribe: [
    '401',
    '401',
    'NOT_FOUND',
    'NOT_FOUND',
    'room',
    'room',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
  ],
  unsubscribe: [
    '401',
    '401',
    'silence',
    'silence',
    'silence',
    'silence',
    'silence',
    'silence',
    'silence',
    'silence',
  ],
  post: [
    '401',
    '401',
    'NOT_FOUND',
    'NOT_FOUND',
    'ack',
    'ack',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
  ],
  edit: [
    '401',
    '401',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_YOURS_TO_EDIT',
    'ack',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
  ],
  delete: [
    '401',
    '401',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_YOUR_MESSAGE',
    'ack',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
  ],
  react: [
    '401',
    '401',
    'NOT_FOUND',
    'NOT_FOUND',
    'ack',
    'OWN_REACTION',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
  ],
  vote: [
    '401',
    '401',
    'NOT_FOUND',
    'NOT_FOUND',
    'ack',
    'OWN_QUESTION',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
  ],
  choose: [
    '401',
    '401',
    'NOT_FOUND',
    'NOT_FOUND',
    'NO_POLL',
    'NO_POLL',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
  ],
  answer: [
    '401',
    '401',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_ALLOWED',
    'ack',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
  ],
  done: [
    '401',
    '401',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_ALLOWED',
    'NOT_ALLOWED',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
  ],
  read: [
    '401',
    '401',
    'silence',
    'silence',
    'silence',
    'silence',
    'silence',
    'silence',
    'silence',
    'silence',
  ],
  typing: [
    '401',
    '401',
    'silence',
    'silence',
    'heard',
    'heard',
    'silence',
    'silence',
    'silence',
    'silence',
  ],
  viewing: [
    '401',
    '401',
    'silence',
    'silence',
    'silence',
    'silence',
    'silence',
    'silence',
    'silence',
    'silence',
  ],
};
