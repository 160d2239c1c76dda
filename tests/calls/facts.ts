// What the tests know about a call: one entry in the file of its feature. An entry says only what differs from what `findWho` and
// the usual costs say. Nothing here is computed by the server.
import { randomUUID } from 'node:crypto';
import type { errors } from '#contract/errors.ts';
import type { CallInput, Who } from '#contract/http.ts';
import type { RouteName } from '#contract/routes.ts';
import type { ClientFrame } from '#contract/socket.ts';
import type { RateName } from '#server/base/rates.ts';
import { createPrivateId } from '#tests/support/private-questions.ts';
import type { RunningApp } from '#tests/support/running-app.ts';
import { password, type TestClient } from '#tests/support/test-client.ts';
import type { LargestData } from '#tests/worst-cases/largest-data.ts';

/**
 * `unverified` has an account where verification is required. `former` left the class after posting a message. `author` created
 * the class, and asked the question and the poll that the others try to change. `member` asked a question that waits for release, and one that only
 * staff see, who ask whether they may publish it.
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

/** Who has a right to something in a class that a stranger has not. */
export const rightHolders = ['member', 'moderator', 'operator', 'staff'] as const;
export type RightHolder = (typeof rightHolders)[number];

/** The code of the error, if the call is rejected. */
export type CallOutcome = 'ok' | keyof typeof errors;
/** `room`: the messages of the room arrived. `heard`: the class received it. `silence`: no answer, and it did not. */
export type FrameOutcome = 'ack' | 'room' | 'heard' | 'silence' | keyof typeof errors;

export type ByPerson<Outcome> = { readonly [P in Person]?: Outcome };

export interface Access<Outcome> {
  /** What those with the right get. By default, a call is 'ok'. */
  outcome?: Outcome;
  /** Whose outcome is another one. */
  but?: ByPerson<Outcome>;
  /**
   * The states in which the outcome of those with the right is another one, or that of these people. A class that is `merged` or
   * `withoutLinks` is like an `ended` one, if it is not named.
   */
  in?: { readonly [S in State]?: Outcome | ByPerson<Outcome> };
  /** The call, or its preparation, changes what the next one gets: it needs a class of its own, or one for each person. */
  ownScene?: 'forCall' | 'forPerson';
}

/** The most that the worst input may cost, with a margin for work in the background (LIMIT-56). */
export interface Cost {
  statements: number;
  /** The rows that SQLite returns. */
  rowsRead: number;
  rowsWritten: number;
  kilobytesWritten: number;
  /** The reply, and the frames to the student and to one other member. */
  kilobytesSent: number;
  frames: number;
  mails: number;
  files: number;
  /** The processor time of the server and its processes (`npm run bench -- worst-cases`). */
  cpuMs: number;
}

/** A post with the longest text. */
export const costOfPost = {
  rowsRead: 100,
  rowsWritten: 40,
  kilobytesWritten: 9,
  kilobytesSent: 60,
  frames: 6,
} as const satisfies Partial<Cost>;

/** What the actions of one student can add in a day that stays (LIMIT-56). The files of uploads are bounded by LIMIT-53. */
export interface DayBound {
  rows: number;
  megabytes: number;
  mails: number;
  files: number;
}

/** Nothing has this id. */
export const unknownId = 'AAAAAAAAAAAAAAAA';

/** What inputs are about, without any data. */
export const nothing = {
  /** The caller's. */
  email: 'nobody@university.edu',
  password,
  /** The address of the account that operators help, or give a role. */
  supportedEmail: 'nobody@university.edu',
  key: 'default',
  classId: unknownId,
  courseName: 'Input and Output',
  messageId: randomUUID() as string,
  pollId: randomUUID() as string,
  topicId: unknownId,
  /** A question that only staff see, and a new turn of it. */
  questionId: createPrivateId(),
  turnId: createPrivateId(),
  courseId: unknownId,
  /** A question that waits for release. */
  waitingId: randomUUID() as string,
  memberId: unknownId,
  caseId: unknownId,
  caseVersion: 1,
  reviewId: unknownId,
  announcementId: unknownId,
  blockId: unknownId,
  deviceId: unknownId,
  passkeyId: unknownId,
  imageId: unknownId,
  keptClassId: unknownId,
  requestId: unknownId,
  /** Of a report from outside. */
  reportId: unknownId,
  roleId: unknownId,
  sanctionId: unknownId,
  suspensionId: unknownId,
  /** A code to type on the computer of the hall. */
  hallCode: '000000',
  classLetters: 'ZZZZ',
  /** The token of a mailed link. */
  token: 'none',
  year: 1999,
  review: { decision: 'dismiss' } as ReviewDecision,
  as: undefined as 'staff' | undefined,
  answerId: null as string | null,
};
type ReviewDecision = { decision: 'dismiss' | 'keep' } | { decision: 'suspend'; days: 7 };
export type Subject = typeof nothing;

/** A class with a report, in which a call is prepared. */
export interface Scene extends Subject {
  app: RunningApp;
  /** Who makes the call. */
  caller: TestClient;
  /** The right by which the caller makes the call, and a stranger could not. */
  right: RightHolder | null;
  /** Her message is reported. */
  ada: TestClient;
  /** He reported it. */
  ben: TestClient;
  /** An operator. He makes the call only if its entry says so. */
  otto: TestClient;
}

export interface Largest {
  /** Who makes it. By default, the student, or an operator if members have no right to it. */
  by?: 'visitor' | 'leaving' | 'operator' | 'subscriber';
  /** The most expensive values of fields. A function makes new ones each time, and null leaves the field to its schema. */
  values?: (
    data: LargestData,
  ) => Record<string, readonly unknown[] | (() => readonly unknown[]) | null>;
  /**
   * Takes the steps of other people without which the call fails. Returns values of fields of the input, and who makes the call if
   * it is another one.
   */
  prepare?: (
    data: LargestData,
    body: unknown,
  ) => Promise<(Record<string, unknown> & { client?: TestClient }) | void>;
  /** The answer if it is no success. */
  answer?: 'NOT_FOUND';
}

interface Effects {
  /**
   * Takes the steps without which the call changes nothing, and returns what its input is about. Only the tests of changes need it:
   * the call must reach its commit.
   */
  prepare?: (scene: Scene) => Partial<Subject> | Promise<Partial<Subject> | void>;
  /** Why no test of changes makes the call. A GET changes nothing. */
  changesNothing?: string;
  /** It ends something, so the worst cases make it late, or ends what all others need. */
  order?: 'late' | 'last';
  cost?: Partial<Cost>;
  /** How the worst inputs are made. */
  largest?: Largest;
  /** Without it, nothing stays. `ofNetwork`: the caller is signed out. */
  inADay?: Partial<DayBound> & { ofNetwork?: true };
}

export interface CallFacts extends Access<CallOutcome>, Effects {
  /** A valid input, with every optional field that does not exclude another one. The params are those of the path. */
  body?: (subject: Subject) => unknown;
  query?: (subject: Subject) => Record<string, unknown>;
  /** The message in the path. By default, `messageId`. */
  messageId?: (subject: Subject) => string;
  /** The private question in the path. By default, `questionId`. */
  questionId?: () => string;
  /** The body, if it is a file. */
  createFile?: () => Promise<Uint8Array>;
  /** Whose change it is. By default, Ada's, or that of an operator, Olga, if members have no right to it. */
  changedBy?: 'ben' | 'otto' | 'adaElsewhere' | 'newBrowser';
  /** Holders of a right that `who` does not say, because it depends on a setting or on the input. */
  furtherHolders?: readonly RightHolder[];
  /** A limit that the call counts itself, in addition to the one with which it is registered. */
  countedRate?: RateName;
  /** Each person does it once, and it adds something to another account each time. */
  oncePerPerson?: true;
  /** Why the sizes of replies to two members may differ. */
  sizeVaries?: string;
}

type FrameSubject = Pick<Subject, 'classId' | 'messageId'> & { answerId?: string | null };

export interface FrameFacts<Frame extends ClientFrame = ClientFrame>
  extends Access<FrameOutcome>, Effects {
  who: Who;
  outcome: FrameOutcome;
  /** What those without the right get. */
  rejection: 'NOT_FOUND' | 'silence';
  frame: (subject: FrameSubject, rid: number) => Frame;
}

type Part<Name extends RouteName, Key extends string> =
  CallInput<Name> extends Record<Key, infer Value> ? Value : never;
type Body<Name extends RouteName> = 'body' extends keyof CallInput<Name>
  ? { body: (subject: Subject) => Part<Name, 'body'> }
  : { body?: never };
type Query<Name extends RouteName> =
  object extends Part<Name, 'query'>
    ? { query?: (subject: Subject) => Part<Name, 'query'> & object }
    : { query: (subject: Subject) => Part<Name, 'query'> };
type FactsOfCall<Name extends RouteName> = Omit<CallFacts, 'body' | 'query'> &
  Body<Name> &
  ([Part<Name, 'query'>] extends [never] ? { query?: never } : Query<Name>);

/** The entries of the calls in one file of the contract. */
export type FactsOf<Calls> = { [Name in keyof Calls & RouteName]: FactsOfCall<Name> };
