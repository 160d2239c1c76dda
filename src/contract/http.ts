// What a call is, and the calls of all features.
import type { z } from 'zod';
import { accountCalls } from './account.ts';
import { accountSupportCalls } from './account-support.ts';
import { announcementCalls } from './announcements.ts';
import { classAdminCalls } from './class-admin.ts';
import { classSearchCalls } from './class-search.ts';
import { classCalls } from './classes.ts';
import { healthCalls } from './health.ts';
import { lectureCalls } from './lectures.ts';
import { ltiCalls } from './lti.ts';
import { messageSearchCalls } from './message-search.ts';
import { moderationCalls } from './moderation.ts';
import { notificationCalls } from './notifications.ts';
import { outsideReportCalls } from './outside-reports.ts';
import { pictureCalls } from './pictures.ts';
import { pollCalls } from './polls.ts';
import { privateQuestionCalls } from './private-questions.ts';
import { questionCalls } from './questions.ts';
import { roleCalls } from './roles.ts';
import { secondFactorCalls } from './second-factor.ts';
import { signOnCalls } from './sign-on.ts';
import { topicCalls } from './topics.ts';
import { transparencyCalls } from './transparency.ts';
import { unmaskingCalls } from './unmasking.ts';
import { webAppCalls } from './web-app.ts';

/**
 * Who has the right to a call. Only `anyone` and `holder` need no session. The route checks the roles of `staff`, `moderator` and
 * `operator`; the rule of the call checks the others, because it reads the member or the case anyway.
 */
export type Who =
  | 'anyone'
  | 'account'
  | 'member'
  /** Reads what members and moderators see. */
  | 'reader'
  /** Holds lectures in the class. */
  | 'staff'
  /** Speaks as staff in the class: no moderator, and no operator. */
  | 'speaker'
  /** Moderates the class that the call names. */
  | 'moderator'
  /** Moderates the class of the case that the call names. */
  | 'caseModerator'
  | 'operator'
  /** Has a presenter link. */
  | 'holder';

/** Everything about a call except its handler. The schemas are allow-lists: a reply has exactly these fields. */
export interface Call {
  route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  who: Who;
  /** A limit in addition to `calls` and `visits`. It counts per account, or per network if the call needs no session. */
  limit?: string;
  /** How often the call counts for this limit. A costly call counts several times. */
  limitCount?: number;
  /** The size of the reply's personal fields is a multiple of this. */
  paddedBytes?: number;
  /**
   * Whether an operator or a moderator must have proved the second factor in the last ten minutes. `ifAny`: if the account has one.
   * `duty`: if SECOND_FACTOR makes it a duty, an account without one is rejected, too.
   */
  factor?: 'ifAny' | 'duty'; // FACTOR-1
  /** A suspended account keeps the rights to its data, and can appeal. */
  openToSuspended?: boolean; // SUSP-6
  /** The handler writes the reply itself, because it is long or shared. */
  writesReply?: true;
  /** The body is only the bytes of a file, so the browser sends no file name. */
  takesFile?: true;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  reply: z.ZodType;
}

/** The calls of all features. */
export const http = {
  ...accountCalls,
  ...accountSupportCalls,
  ...announcementCalls,
  ...classAdminCalls,
  ...classSearchCalls,
  ...classCalls,
  ...healthCalls,
  ...lectureCalls,
  ...ltiCalls,
  ...messageSearchCalls,
  ...moderationCalls,
  ...notificationCalls,
  ...outsideReportCalls,
  ...pictureCalls,
  ...privateQuestionCalls,
  ...questionCalls,
  ...pollCalls,
  ...roleCalls,
  ...secondFactorCalls,
  ...signOnCalls,
  ...topicCalls,
  ...transparencyCalls,
  ...unmaskingCalls,
  ...webAppCalls,
} as const satisfies Record<string, Call>;

export type RouteName = keyof typeof http;
/** The same calls, each with all fields that a call may have. */
export const calls: Readonly<Record<RouteName, Call>> = { ...http };

export type Http = typeof http;
type In<N extends RouteName, Part extends string> =
  Http[N] extends Record<Part, z.ZodType> ? z.input<Http[N][Part]> : undefined;

/** The input of a call: only the parts that the call has. */
export type CallInput<N extends RouteName> = {
  [Part in 'params' | 'query' | 'body' as Part extends keyof Http[N] ? Part : never]: In<N, Part>;
};
export type CallReply<N extends RouteName> = z.output<Http[N]['reply']>;
