// What a call or frame answers to each person in each state of a class, as its entry says.
import type { Who } from '#contract/http.ts';
import { routes, type RouteName } from '#contract/routes.ts';
import type { ClientFrame } from '#contract/socket.ts';
import { calls } from './calls.ts';
import {
  people,
  rightHolders,
  type Access,
  type CallOutcome,
  type FrameOutcome,
  type Person,
  type RightHolder,
  type State,
} from './facts.ts';
import { frames } from './frames.ts';

const withoutAccount: readonly Person[] = ['signedOut', 'presenter', 'unverified'];
const members: readonly Person[] = ['member', 'muted', 'author'];
const moderators: readonly Person[] = ['moderator', 'operator'];
export const entitledPeople: Record<Who, readonly Person[]> = {
  anyone: people,
  account: people.filter((person) => !withoutAccount.includes(person)),
  member: members,
  reader: [...members, ...moderators],
  staff: [...moderators, 'staff'],
  speaker: ['staff'],
  moderator: moderators,
  caseModerator: moderators,
  operator: ['operator'],
  holder: ['presenter'],
};

/** Says again what the definitions of calls say, so that a weaker right is noticed. All other calls are for operators. */
const callsByWho = {
  anyone: `countInterfaceError exchangeHallCode finishSignOn joinSignOn mailSignOnLink me readSiteTransparency
    reportFromOutside requestPasswordReset resetPassword schoolTheme signIn signOut signUp startSignOn takeDataCopy
    unsubscribeDigest
    verifyEmail`,
  account: `addPasskey appeal changePassword createClass createCourseClass decideProposal deleteAccount exportAccount findLetteredClass
    joinClass leaveClass linkCourse listClasses listDevices listOwnDecisions listOwnSanctions listPasskeys listProposals proveFactor readClass
    readCourse readNotifications readWaitingWork removePasskey renewRecoveryCodes saveDigest saveLanguage
    saveNotifications searchAccess searchClasses signOutDevice signOutOtherDevices startPasskey startProof
    subscribePush
    unsubscribePush`,
  member: `addPrivateTurn askPrivately changePersona chooseNotifications closePoll decidePublication deleteImage listMembers
    listMessages listOwnPrivate listOwnReports listOwnWaiting listPictures listQuestions moveMessage readPoll readPreferences reportMember savePreferences
    searchMessages sendWaiting uploadImage withdrawPrivate withdrawWaiting`,
  reader: 'listLectureQuestions readClassSettings readClassTransparency',
  staff: `changeTopics createHallCode createPresenterLink deletePrepared endLecture holdQuestions listWaitingQuestions planLectures
    presentPoll readPreparation releaseQuestion returnQuestion revokePresenterLinks savePrepared startLecture`,
  speaker: 'listPrivateQuestions setPrivateState',
  moderator: 'changeClassSettings liftSanction readModeratedMember',
  caseModerator: 'decideCase decideReview listCases readCaseContext undoDecision undoReview',
  holder: 'readPresentation',
} as const satisfies Record<Exclude<Who, 'operator'>, string>;

export function findWho(name: RouteName): Who {
  const rights = Object.keys(callsByWho) as (keyof typeof callsByWho)[];
  return rights.find((who) => callsByWho[who].split(/\s+/).includes(name)) ?? 'operator';
}

/** SUSP-6, without the calls that need no session. */
export const openToSuspended: ReadonlySet<RouteName> = new Set<RouteName>([
  ...(['appeal', 'deleteAccount', 'exportAccount', 'listOwnSanctions'] as const),
  ...(['startProof', 'proveFactor'] as const),
]);

/** Whether the outcome of the call depends on the state of a class. */
export const isAboutClass = (name: RouteName): boolean =>
  name === 'readPresentation' ||
  name === 'listCases' ||
  /:(classId|caseId|reviewId)/.test(routes[name].path);

export function needsSession(name: RouteName): boolean {
  const who = findWho(name);
  return who !== 'anyone' && who !== 'holder';
}

export function findCallOutcome(name: RouteName, person: Person, state: State): CallOutcome {
  const facts = calls[name];
  const who = findWho(name);
  if (!entitledPeople[who].includes(person)) {
    return facts.but?.[person] ?? findRejection(who, person, state);
  }
  return findOutcome({ ...facts, outcome: facts.outcome ?? 'ok' }, person, state, 'NOT_FOUND');
}

/** What those without the right get. A right in a class is checked after the class, and one to a case before it. */
function findRejection(who: Who, person: Person, state: State): CallOutcome {
  if (who === 'holder') return 'NOT_FOUND';
  if (withoutAccount.includes(person)) return 'UNAUTHENTICATED';
  if (who === 'member' || who === 'reader') return 'NOT_FOUND';
  if (who === 'caseModerator' && person === 'otherModerator') return 'NOT_FOUND';
  const isClassFirst = who === 'staff' || who === 'speaker' || who === 'moderator';
  return isClassFirst && state === 'deleted' ? 'NOT_FOUND' : 'NOT_ALLOWED';
}

export function findFrameOutcome(
  type: ClientFrame['type'],
  person: Person,
  state: State,
): FrameOutcome {
  const facts = frames[type];
  if (withoutAccount.includes(person)) return 'UNAUTHENTICATED';
  if (!entitledPeople[facts.who].includes(person)) return facts.rejection;
  return findOutcome(facts, person, state, facts.rejection);
}

/**
 * Finds what those with the right get. Without links, no one is the author, asked the question or is muted any more.
 *
 * @param ifDeleted for those with the right, who lose it with the class
 */
function findOutcome<Outcome extends string>(
  facts: Access<Outcome> & { outcome: Outcome },
  person: Person,
  state: State,
  ifDeleted: Outcome,
): Outcome {
  const { but, outcome } = facts;
  // A mute comes before every other rule.
  const personal = state === 'withoutLinks' && members.includes(person) ? undefined : but?.[person];
  if (person === 'muted' && personal !== undefined && state !== 'deleted') return personal;
  const inState = findOutcomeInState(facts, person, state);
  return inState ?? (state === 'deleted' ? ifDeleted : (personal ?? outcome));
}

function findOutcomeInState<Outcome extends string>(
  { in: inStates = {} }: Access<Outcome>,
  person: Person,
  state: State,
): Outcome | undefined {
  const isLikeEnded = state === 'merged' || state === 'withoutLinks';
  const inState = inStates[state] ?? (isLikeEnded ? inStates.ended : undefined);
  if (typeof inState === 'string') return inState;
  const isForgotten = state === 'withoutLinks' && inStates[state] === undefined;
  return isForgotten ? undefined : inState?.[person];
}

/** Finds the holders of a right to the call that a stranger does not have. */
export function findRightHolders(name: RouteName): RightHolder[] {
  const entitled = entitledPeople[findWho(name)];
  return entitled.includes('stranger')
    ? []
    : rightHolders.filter((holder) => entitled.includes(holder));
}

/** Whether operators have the right to it, and members have not. */
export function isOfStaff(name: RouteName): boolean {
  const holders = findRightHolders(name);
  return holders.includes('operator') && !holders.includes('member');
}
