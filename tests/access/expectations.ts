// What every call and every frame of the contract answers to each kind of person, in each state of the class. If the contract
// grows and this file does not, it does not compile.
import type { errors } from '#contract/errors.ts';
import { routes, type RouteName } from '#contract/routes.ts';
import type { ClientFrame } from '#contract/socket.ts';

/**
 * `unverified` has an account where verification is required. `former` left the class after posting a message. `author` created
 * the class, and asked the question and the poll that the others try to change. `member` asked a question that waits for release.
 * `muted` is a member, too. `moderator` moderates the class, `otherModerator` another one, and `operator` all classes. `staff` may
 * speak as staff in it; none of them is in the class. `presenter` has no account, but a presenter link. The roles of
 * `formerModerator` and `formerOperator` have ended.
 */
export const people = [
  'signedOut',
  'presenter',
  'unverified',
  'stranger',
  'former',
  'member',
  'muted',
  'author',
  'otherModerator',
  'moderator',
  'operator',
  'staff',
  'formerModerator',
  'formerOperator',
] as const;
export type Person = (typeof people)[number];

/**
 * A lecture is on until the class has ended or was deleted. `quiet`: members cannot write. `merged`: ended as a duplicate.
 * `withoutLinks`: ended, and the links from its personas to accounts are removed. `restored`: after a deletion.
 */
export const states = [
  'active',
  'quiet',
  'ended',
  'merged',
  'withoutLinks',
  'deleted',
  'restored',
] as const;
export type State = (typeof states)[number];

/**
 * Who has the right to a call or frame. `reader` reads what members and moderators see. `staff` can hold lectures. A `moderator`
 * names the class, and a `caseModerator` a case of it. `holder` has a presenter link.
 */
export type Caller =
  | 'anyone'
  | 'account'
  | 'member'
  | 'reader'
  | 'staff'
  | 'moderator'
  | 'caseModerator'
  | 'operator'
  | 'holder';

const withoutAccount: readonly Person[] = ['signedOut', 'presenter', 'unverified'];
const members: readonly Person[] = ['member', 'muted', 'author'];
const moderators: readonly Person[] = ['moderator', 'operator'];
export const entitledPeople: Record<Caller, readonly Person[]> = {
  anyone: people,
  account: people.filter((person) => !withoutAccount.includes(person)),
  member: members,
  reader: [...members, ...moderators],
  staff: [...moderators, 'staff'],
  moderator: moderators,
  caseModerator: moderators,
  operator: ['operator'],
  holder: ['presenter'],
};

type ByPerson<Outcome> = { readonly [P in Person]?: Outcome };

interface Row<Outcome> {
  caller: Caller;
  /** What those with the right get. */
  outcome: Outcome;
  /** Whose outcome is another one. */
  but?: ByPerson<Outcome>;
  /** The states in which the outcome of those with the right is another one, or that of these people. */
  inStates?: { readonly [S in State]?: Outcome | ByPerson<Outcome> };
  /** The call needs a class of its own, or one for each person, because it changes what the next one gets. */
  ownScene?: 'forCall' | 'forPerson';
}

export type CallRow = Row<CallOutcome>;

/** The code of the error, if the call is rejected. */
export type CallOutcome = 'ok' | keyof typeof errors;

/** What the state forbids to those who can otherwise write. */
const rejectedIfEnded = {
  ended: 'CLASS_ENDED',
  merged: 'CLASS_ENDED',
  withoutLinks: 'CLASS_ENDED',
} as const;

/** The cases of a class without links, because no one can tell whether a moderator is the author. */
const leftToOperators = { withoutLinks: { moderator: 'NOT_FOUND' } } as const;

/** The lecture of the scene does not survive these changes. */
const rejectedWithoutLecture = {
  ended: 'NO_LECTURE',
  merged: 'NO_LECTURE',
  withoutLinks: 'NO_LECTURE',
  restored: 'NO_LECTURE',
} as const;

const ok = 'ok';

export const expectedCalls: Record<RouteName, CallRow> = {
  signUp: { caller: 'anyone', outcome: ok },
  signIn: {
    caller: 'anyone',
    outcome: ok,
    but: {
      signedOut: 'WRONG_CREDENTIALS',
      presenter: 'WRONG_CREDENTIALS',
      unverified: 'EMAIL_NOT_VERIFIED',
    },
  },
  signOut: { caller: 'anyone', outcome: ok },
  requestPasswordReset: { caller: 'anyone', outcome: ok },
  // The link is invalid.
  resetPassword: { caller: 'anyone', outcome: 'INVALID_LINK' },
  verifyEmail: { caller: 'anyone', outcome: 'INVALID_LINK' },
  // This server has no provider.
  startSignOn: { caller: 'anyone', outcome: 'NOT_FOUND' },
  finishSignOn: { caller: 'anyone', outcome: 'NOT_FOUND' },
  mailSignOnLink: { caller: 'anyone', outcome: 'NOT_FOUND' },
  joinSignOn: { caller: 'anyone', outcome: 'NOT_FOUND' },
  me: { caller: 'anyone', outcome: ok },
  listDevices: { caller: 'account', outcome: ok },
  // A member can end only their own devices. To end an unknown device changes nothing.
  signOutDevice: { caller: 'account', outcome: ok },
  signOutOtherDevices: { caller: 'account', outcome: ok },
  listOwnSanctions: { caller: 'account', outcome: ok },
  // No one has this sanction.
  appeal: { caller: 'account', outcome: 'NOT_FOUND' },
  readNotifications: { caller: 'account', outcome: ok },
  saveNotifications: { caller: 'account', outcome: ok },
  // This server has no mail server.
  saveDigest: { caller: 'account', outcome: 'NOT_ALLOWED' },
  subscribePush: { caller: 'account', outcome: ok },
  unsubscribePush: { caller: 'account', outcome: ok },
  exportAccount: { caller: 'account', outcome: ok },
  changePassword: { caller: 'account', outcome: 'WRONG_PASSWORD' },
  deleteAccount: { caller: 'account', outcome: 'WRONG_PASSWORD' },
  listClasses: { caller: 'account', outcome: ok },
  createClass: { caller: 'account', outcome: ok },
  readClass: { caller: 'account', outcome: ok, inStates: { deleted: 'NOT_FOUND' } },
  readClassSettings: { caller: 'reader', outcome: ok },
  changeClassSettings: {
    caller: 'moderator',
    outcome: ok,
    inStates: rejectedIfEnded,
    ownScene: 'forPerson',
  },
  joinClass: {
    caller: 'account',
    outcome: ok,
    inStates: { deleted: 'NOT_FOUND' },
    ownScene: 'forCall',
  },
  // To leave a class without being a member is not an error and changes nothing.
  leaveClass: { caller: 'account', outcome: ok, inStates: { deleted: ok }, ownScene: 'forCall' },
  listMembers: { caller: 'member', outcome: ok },
  changePersona: {
    caller: 'member',
    outcome: ok,
    but: { muted: 'MUTED' },
    inStates: { ...rejectedIfEnded, quiet: 'READ_ONLY' },
  },
  readPreferences: { caller: 'member', outcome: ok },
  savePreferences: { caller: 'member', outcome: ok },
  chooseNotifications: { caller: 'member', outcome: ok },
  listMessages: { caller: 'member', outcome: ok },
  searchMessages: { caller: 'member', outcome: ok },
  listQuestions: { caller: 'member', outcome: ok },
  readPoll: { caller: 'member', outcome: ok },
  closePoll: {
    caller: 'member',
    outcome: 'NOT_ALLOWED',
    but: { author: ok },
    inStates: { ended: { author: 'CLASS_ENDED' }, merged: { author: 'CLASS_ENDED' } },
    ownScene: 'forCall',
  },
  startLecture: { caller: 'staff', outcome: ok, inStates: rejectedIfEnded, ownScene: 'forCall' },
  endLecture: { caller: 'staff', outcome: ok, ownScene: 'forCall' },
  holdQuestions: { caller: 'staff', outcome: ok, inStates: rejectedWithoutLecture },
  listWaitingQuestions: { caller: 'staff', outcome: ok },
  releaseQuestion: {
    caller: 'staff',
    outcome: ok,
    inStates: { ...rejectedWithoutLecture, quiet: 'READ_ONLY' },
    ownScene: 'forPerson',
  },
  returnQuestion: {
    caller: 'staff',
    outcome: ok,
    inStates: rejectedWithoutLecture,
    ownScene: 'forPerson',
  },
  listOwnWaiting: { caller: 'member', outcome: ok },
  sendWaiting: {
    caller: 'member',
    outcome: 'NOT_FOUND',
    but: { member: ok },
    inStates: { ended: { member: 'CLASS_ENDED' }, merged: { member: 'CLASS_ENDED' } },
  },
  // To withdraw a question that is gone changes nothing.
  withdrawWaiting: { caller: 'member', outcome: ok, ownScene: 'forCall' },
  listLectureQuestions: { caller: 'reader', outcome: ok },
  createPresenterLink: { caller: 'staff', outcome: ok, inStates: rejectedWithoutLecture },
  presentPoll: { caller: 'staff', outcome: ok, inStates: rejectedWithoutLecture },
  revokePresenterLinks: { caller: 'staff', outcome: ok, ownScene: 'forCall' },
  readPresentation: {
    caller: 'holder',
    outcome: ok,
    inStates: {
      ended: 'NOT_FOUND',
      merged: 'NOT_FOUND',
      withoutLinks: 'NOT_FOUND',
      restored: 'NOT_FOUND',
    },
  },
  listPictures: { caller: 'member', outcome: ok },
  // The body is not a picture.
  uploadImage: {
    caller: 'member',
    outcome: 'IMAGE_NOT_A_PICTURE',
    but: { muted: 'MUTED' },
    inStates: { quiet: 'READ_ONLY' },
  },
  deleteImage: { caller: 'member', outcome: ok },
  // The author may not report the own message.
  reportMember: { caller: 'member', outcome: ok, but: { author: 'OWN_REPORT' } },
  listOwnDecisions: { caller: 'account', outcome: ok },
  listOwnReports: { caller: 'member', outcome: ok },
  listCases: {
    caller: 'caseModerator',
    outcome: ok,
    but: { otherModerator: 'NOT_ALLOWED' },
    inStates: { deleted: ok },
  },
  readCaseContext: { caller: 'caseModerator', outcome: ok, inStates: leftToOperators },
  decideCase: {
    caller: 'caseModerator',
    outcome: ok,
    inStates: leftToOperators,
    ownScene: 'forPerson',
  },
  undoDecision: { caller: 'caseModerator', outcome: ok, inStates: leftToOperators },
  // Operators decide escalations.
  decideReview: {
    caller: 'caseModerator',
    outcome: ok,
    but: { moderator: 'NOT_ALLOWED' },
    inStates: leftToOperators,
    ownScene: 'forCall',
  },
  undoReview: {
    caller: 'caseModerator',
    outcome: ok,
    but: { moderator: 'NOT_ALLOWED' },
    inStates: leftToOperators,
  },
  // There is no such suspension, and no such sanction.
  liftSuspension: { caller: 'operator', outcome: 'NOT_FOUND' },
  readModeratedMember: { caller: 'moderator', outcome: ok },
  liftSanction: {
    caller: 'moderator',
    outcome: 'NOT_FOUND',
    inStates: { withoutLinks: { moderator: 'NOT_ALLOWED' } },
  },
  readWaitingWork: { caller: 'account', outcome: ok },
  listGrantedRoles: { caller: 'operator', outcome: ok },
  // There is no such account, and no such role.
  grantRole: { caller: 'operator', outcome: 'NO_SUCH_ACCOUNT' },
  revokeRole: { caller: 'operator', outcome: 'NOT_FOUND' },
  listAuditLog: { caller: 'operator', outcome: ok },
  readOverview: { caller: 'operator', outcome: ok },
  readSettingsInForce: { caller: 'operator', outcome: ok },
  listAllClasses: { caller: 'operator', outcome: ok },
  editClass: { caller: 'operator', outcome: ok },
  endClass: { caller: 'operator', outcome: ok, ownScene: 'forCall' },
  reopenClass: {
    caller: 'operator',
    outcome: ok,
    inStates: { withoutLinks: 'CLASS_ENDED' },
    ownScene: 'forCall',
  },
  deleteClass: { caller: 'operator', outcome: ok, ownScene: 'forCall' },
  // Only a deleted class can be restored.
  restoreClass: {
    caller: 'operator',
    outcome: 'NOT_FOUND',
    inStates: { deleted: ok },
    ownScene: 'forCall',
  },
  // There is no such other class.
  previewMerge: { caller: 'operator', outcome: 'NOT_FOUND' },
  mergeClass: { caller: 'operator', outcome: 'NOT_FOUND' },
  importClasses: { caller: 'operator', outcome: ok },
  endTerm: { caller: 'operator', outcome: ok },
  reopenTerm: { caller: 'operator', outcome: ok },
  // The body names an account that does not exist.
  findAccount: { caller: 'operator', outcome: ok },
  resendVerification: { caller: 'operator', outcome: 'NO_SUCH_ACCOUNT' },
  sendResetLink: { caller: 'operator', outcome: 'NO_SUCH_ACCOUNT' },
  correctAddress: { caller: 'operator', outcome: 'NO_SUCH_ACCOUNT' },
  endAccountSessions: { caller: 'operator', outcome: 'NO_SUCH_ACCOUNT' },
  exportFoundAccount: { caller: 'operator', outcome: 'NO_SUCH_ACCOUNT' },
  deleteFoundAccount: { caller: 'operator', outcome: 'NO_SUCH_ACCOUNT' },
  listBlockedAddresses: { caller: 'operator', outcome: ok },
  blockAddress: { caller: 'operator', outcome: ok },
  // There is no such block, and no such announcement.
  unblockAddress: { caller: 'operator', outcome: 'NOT_FOUND' },
  listAnnouncements: { caller: 'operator', outcome: ok },
  announce: { caller: 'operator', outcome: ok },
  withdrawAnnouncement: { caller: 'operator', outcome: 'NOT_FOUND' },
  readSiteTransparency: { caller: 'anyone', outcome: ok },
  readClassTransparency: { caller: 'reader', outcome: ok },
  listUnmaskings: { caller: 'operator', outcome: ok },
  readUnmasking: { caller: 'operator', outcome: ok },
  requestUnmasking: {
    caller: 'operator',
    outcome: ok,
    inStates: {
      ended: 'UNMASKING_IMPOSSIBLE',
      merged: 'UNMASKING_IMPOSSIBLE',
      withoutLinks: 'UNMASKING_IMPOSSIBLE',
    },
    ownScene: 'forCall',
  },
  // There is no such request.
  confirmUnmasking: { caller: 'operator', outcome: 'NOT_FOUND' },
  withdrawUnmasking: { caller: 'operator', outcome: 'NOT_FOUND' },
  // The link is invalid.
  unsubscribeDigest: { caller: 'anyone', outcome: 'INVALID_LINK' },
  countInterfaceError: { caller: 'anyone', outcome: ok },
  schoolTheme: { caller: 'anyone', outcome: ok },
  // This server answers searches itself, so there is no hosted search key.
  searchAccess: { caller: 'account', outcome: 'NOT_FOUND' },
  searchClasses: { caller: 'account', outcome: ok },
};

/** `room`: the messages of the room arrived. `heard`: the class received it. `silence`: no answer, and it did not. */
export type FrameOutcome = 'ack' | 'room' | 'heard' | 'silence' | keyof typeof errors;

interface FrameRow extends Row<FrameOutcome> {
  /** What those without the right get. */
  rejection: 'NOT_FOUND' | 'silence';
}

export const expectedFrames: Record<ClientFrame['type'], FrameRow> = {
  subscribe: { caller: 'member', rejection: 'NOT_FOUND', outcome: 'room' },
  unsubscribe: { caller: 'account', rejection: 'silence', outcome: 'silence' },
  post: {
    caller: 'member',
    rejection: 'NOT_FOUND',
    outcome: 'ack',
    but: { muted: 'MUTED' },
    inStates: { ...rejectedIfEnded, quiet: 'READ_ONLY' },
  },
  edit: {
    caller: 'member',
    rejection: 'NOT_FOUND',
    outcome: 'NOT_YOURS_TO_EDIT',
    but: { author: 'ack' },
    inStates: {
      quiet: { author: 'READ_ONLY' },
      ended: { author: 'CLASS_ENDED' },
      merged: { author: 'CLASS_ENDED' },
    },
  },
  delete: {
    caller: 'member',
    rejection: 'NOT_FOUND',
    outcome: 'NOT_YOUR_MESSAGE',
    but: { author: 'ack' },
    inStates: { ended: { author: 'CLASS_ENDED' }, merged: { author: 'CLASS_ENDED' } },
    ownScene: 'forCall',
  },
  react: {
    caller: 'member',
    rejection: 'NOT_FOUND',
    outcome: 'ack',
    but: { author: 'OWN_REACTION', muted: 'MUTED' },
    inStates: {
      quiet: { member: 'READ_ONLY' },
      ended: { member: 'CLASS_ENDED' },
      merged: { member: 'CLASS_ENDED' },
      withoutLinks: 'CLASS_ENDED',
    },
  },
  vote: {
    caller: 'member',
    rejection: 'NOT_FOUND',
    outcome: 'ack',
    but: { author: 'OWN_QUESTION', muted: 'MUTED' },
    inStates: {
      quiet: { member: 'READ_ONLY' },
      ended: { member: 'CLASS_ENDED' },
      merged: { member: 'CLASS_ENDED' },
      withoutLinks: 'CLASS_ENDED',
    },
  },
  choose: {
    caller: 'member',
    rejection: 'NOT_FOUND',
    outcome: 'ack',
    but: { muted: 'MUTED' },
    inStates: { ...rejectedIfEnded, quiet: 'READ_ONLY' },
  },
  answer: {
    caller: 'member',
    rejection: 'NOT_FOUND',
    outcome: 'NOT_ALLOWED',
    but: { author: 'ack' },
  },
  done: { caller: 'member', rejection: 'NOT_FOUND', outcome: 'NOT_ALLOWED' },
  read: { caller: 'account', rejection: 'silence', outcome: 'silence' },
  typing: {
    caller: 'member',
    rejection: 'silence',
    outcome: 'heard',
    but: { muted: 'silence' },
    inStates: { quiet: 'silence' },
    ownScene: 'forPerson',
  },
  viewing: { caller: 'account', rejection: 'silence', outcome: 'silence' },
};

/** Whether the outcome of the call depends on the state of a class. */
export const isAboutClass = (name: RouteName): boolean =>
  name === 'readPresentation' ||
  name === 'listCases' ||
  /:(classId|caseId|reviewId)/.test(routes[name].path);

export function findExpectedCall(name: RouteName, person: Person, state: State): CallOutcome {
  const row = expectedCalls[name];
  if (!entitledPeople[row.caller].includes(person)) {
    return row.but?.[person] ?? findRejection(row.caller, person, state);
  }
  return findOutcome(row, person, state, 'NOT_FOUND');
}

/** What those without the right get. A right in a class is checked after the class, and one to a case before it. */
function findRejection(caller: Caller, person: Person, state: State): CallOutcome {
  if (caller === 'holder') return 'NOT_FOUND';
  if (withoutAccount.includes(person)) return 'UNAUTHENTICATED';
  if (caller === 'member' || caller === 'reader') return 'NOT_FOUND';
  if (caller === 'caseModerator' && person === 'otherModerator') return 'NOT_FOUND';
  const isClassFirst = caller === 'staff' || caller === 'moderator';
  return isClassFirst && state === 'deleted' ? 'NOT_FOUND' : 'NOT_ALLOWED';
}

export function findExpectedFrame(
  type: ClientFrame['type'],
  person: Person,
  state: State,
): FrameOutcome {
  const row = expectedFrames[type];
  if (withoutAccount.includes(person)) return 'UNAUTHENTICATED';
  if (!entitledPeople[row.caller].includes(person)) return row.rejection;
  return findOutcome(row, person, state, row.rejection);
}

/**
 * Finds what those with the right get. Without links, no one is the author, asked the question or is muted any more.
 *
 * @param ifDeleted for those with the right, who lose it with the class
 */
function findOutcome<Outcome extends string>(
  { but, inStates, outcome }: Row<Outcome>,
  person: Person,
  state: State,
  ifDeleted: Outcome,
): Outcome {
  // A mute comes before every other rule.
  const personal = state === 'withoutLinks' && members.includes(person) ? undefined : but?.[person];
  if (person === 'muted' && personal !== undefined && state !== 'deleted') return personal;
  const inState = inStates?.[state];
  const outcomeInState = typeof inState === 'string' ? inState : inState?.[person];
  return outcomeInState ?? (state === 'deleted' ? ifDeleted : (personal ?? outcome));
}

/** Who has a right to something in the class that a stranger has not. */
export type Holder = 'member' | 'moderator' | 'operator' | 'staff';
const holders: readonly Holder[] = ['member', 'moderator', 'operator', 'staff'];

/** Finds the holders of a right to the call that a stranger does not have. */
export function findHolders(name: RouteName): Holder[] {
  const { caller } = expectedCalls[name];
  const entitled = entitledPeople[caller];
  return entitled.includes('stranger') ? [] : holders.filter((holder) => entitled.includes(holder));
}
