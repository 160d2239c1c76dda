// A valid input for each call. A new call that takes a body, or needs a query, does not compile without one.
import { randomUUID } from 'node:crypto';
import type { CallInput } from '#contract/http.ts';
import { routes, type RouteName } from '#contract/routes.ts';
import { endedTerm } from './ended-term.ts';
import { browserKeys } from './notifications.ts';
import { someClass } from './test-client.ts';
import { ground } from './unmasking.ts';

/** What the inputs are about. */
export interface ExampleScene {
  /** The caller's. */
  email: string;
  password: string;
  /** The address of the account that operators help, or give a role. */
  supportedEmail: string;
  classId: string;
  messageId: string;
  caseVersion: number;
  /** The ids in the path. An id that is not given is unknown to the server. */
  ids: Readonly<Record<string, string>>;
}

export interface ExampleInput {
  params: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** Nothing has this id. */
export const unknownId = 'AAAAAAAAAAAAAAAA';

type Part<Name extends RouteName, Key extends string> =
  CallInput<Name> extends Record<Key, infer Value> ? Value : never;
type TakesBody<Name extends RouteName> = 'body' extends keyof CallInput<Name> ? Name : never;
type NeedsQuery<Name extends RouteName> = [Part<Name, 'query'>] extends [never]
  ? never
  : object extends Part<Name, 'query'>
    ? never
    : Name;

/** Each has every optional field that does not exclude another one. */
const bodies: {
  [Name in RouteName as TakesBody<Name>]: (scene: ExampleScene) => Part<Name, 'body'>;
} = {
  signUp: ({ password }) => ({ email: `${randomUUID()}@university.edu`, password }),
  signIn: ({ email, password }) => ({ email, password }),
  requestPasswordReset: ({ email }) => ({ email }),
  resetPassword: ({ password }) => ({ token: 'none', newPassword: password }),
  verifyEmail: ({ password }) => ({ token: 'none', password }),
  startSignOn: () => ({ again: false }),
  finishSignOn: () => ({ response: '?code=none' }),
  joinSignOn: ({ password }) => ({ password }),
  saveNotifications: () => ({
    showText: true,
    quietHours: null,
    snoozedUntil: null,
    waitingWork: true,
  }),
  saveDigest: () => ({ digest: true }),
  subscribePush: () => ({ endpoint: `http://127.0.0.1:9/${randomUUID()}`, keys: browserKeys }),
  changePassword: ({ password }) => ({
    currentPassword: password,
    newPassword: 'another good one',
  }),
  appeal: () => ({ text: 'It was not me' }),
  deleteAccount: ({ password }) => ({ password, messages: 'keep' }),
  createClass: () => someClass,
  changePersona: () => ({ anonymousName: randomUUID().slice(0, 20) }),
  savePreferences: () => ({ ignored: [], hidden: [], muted: true, version: 0 }),
  chooseNotifications: () => ({ notify: 'all' }),
  changeClassSettings: () => ({
    version: 0,
    slowModeSeconds: 0,
    readOnly: false,
    picturesOff: false,
    description: 'What it is about',
    rules: 'Be kind.',
    pins: [],
    quietTimes: [],
  }),
  startLecture: () => ({ hours: 2 }),
  presentPoll: () => ({ messageId: null }),
  holdQuestions: () => ({ held: true }),
  releaseQuestion: () => ({ text: 'What is due?' }),
  reportMember: ({ messageId }) => ({ messageId, reason: 'spam', text: 'Again and again' }),
  decideCase: ({ caseVersion }) => ({
    version: caseVersion,
    decision: 'keep',
    reason: 'Harmless',
    escalate: false,
  }),
  decideReview: () => ({ version: 1, decision: 'dismiss', reason: 'Not serious' }),
  liftSuspension: () => ({ reason: 'A mistake' }),
  liftSanction: () => ({ reason: 'A mistake' }),
  grantRole: ({ supportedEmail, classId }) => ({
    email: supportedEmail,
    classId,
    role: 'staff',
    staffName: 'Prof. Lee',
  }),
  editClass: () => ({ ...someClass, year: 2026 }),
  mergeClass: () => ({ keptClassId: unknownId }),
  importClasses: () => ({
    apply: true,
    lines: [{ line: 2, fields: { ...someClass, semesterSeason: 'Fall', year: 2026 } }],
  }),
  endTerm: () => ({ semesterSeason: 'Fall', year: 1999 }),
  reopenTerm: () => endedTerm,
  findAccount: ({ supportedEmail }) => ({ email: supportedEmail }),
  resendVerification: ({ supportedEmail }) => ({ email: supportedEmail }),
  sendResetLink: ({ supportedEmail }) => ({ email: supportedEmail }),
  correctAddress: ({ supportedEmail }) => ({
    email: supportedEmail,
    newEmail: `new.${supportedEmail}`,
  }),
  endAccountSessions: ({ supportedEmail }) => ({ email: supportedEmail }),
  exportFoundAccount: ({ supportedEmail }) => ({ email: supportedEmail }),
  deleteFoundAccount: ({ supportedEmail }) => ({
    email: supportedEmail,
    repeatedEmail: supportedEmail,
    blockReason: 'Left the university',
  }),
  blockAddress: ({ supportedEmail }) => ({
    email: `blocked.${supportedEmail}`,
    blockReason: 'Left the university',
  }),
  announce: () => ({
    classId: null,
    text: 'The server restarts at six.',
    endsAt: Date.now() + 3_600_000,
  }),
  requestUnmasking: ({ password }) => ({ password, reason: ground }),
  confirmUnmasking: ({ password }) => ({ password }),
  searchClasses: () => ({ requests: [{ indexName: 'classSearch', query: '' }] }),
};

const queries: {
  [Name in RouteName as NeedsQuery<Name>]: (scene: ExampleScene) => Part<Name, 'query'>;
} & { listCases(scene: ExampleScene): Part<'listCases', 'query'> } = {
  unsubscribeDigest: () => ({ token: 'none' }),
  searchMessages: () => ({ query: 'author' }),
  previewMerge: () => ({ keptClassId: unknownId }),
  // Without a class, it lists those of all classes that the caller moderates.
  listCases: ({ classId }) => ({ classId }),
};

type CreatePart = (scene: ExampleScene) => Record<string, unknown>;
const createBodies: { [Name in RouteName]?: CreatePart } = bodies;
const createQueries: { [Name in RouteName]?: CreatePart } = queries;

export function createExampleInput(name: RouteName, scene: ExampleScene): ExampleInput {
  const { classId, messageId } = scene;
  const ids: Record<string, string> = { key: 'default', classId, messageId, ...scene.ids };
  const fields = [...routes[name].path.matchAll(/:(\w+)/g)].map(([, field]) => field!);
  return {
    params: Object.fromEntries(fields.map((field) => [field, ids[field] ?? unknownId])),
    query: createQueries[name]?.(scene),
    body: createBodies[name]?.(scene),
  };
}
