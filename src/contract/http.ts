// The calls of all features.
import type { z } from 'zod';
import { accountCalls } from './account.ts';
import { accountSupportCalls } from './account-support.ts';
import { announcementCalls } from './announcements.ts';
import { classAdminCalls } from './class-admin.ts';
import { classSearchCalls } from './class-search.ts';
import { classCalls } from './classes.ts';
import { healthCalls } from './health.ts';
import { lectureCalls } from './lectures.ts';
import { messageSearchCalls } from './message-search.ts';
import { moderationCalls } from './moderation.ts';
import { notificationCalls } from './notifications.ts';
import { pictureCalls } from './pictures.ts';
import { pollCalls } from './polls.ts';
import { questionCalls } from './questions.ts';
import { roleCalls } from './roles.ts';
import { signOnCalls } from './sign-on.ts';
import { transparencyCalls } from './transparency.ts';
import { unmaskingCalls } from './unmasking.ts';
import { webAppCalls } from './web-app.ts';
import type { RouteName } from './routes.ts';

/**
 * The request and reply schemas of each call. They are allow-lists: a reply has exactly these fields.
 */
export const http = {
  ...accountCalls,
  ...accountSupportCalls,
  ...announcementCalls,
  ...classAdminCalls,
  ...classSearchCalls,
  ...classCalls,
  ...healthCalls,
  ...lectureCalls,
  ...messageSearchCalls,
  ...moderationCalls,
  ...notificationCalls,
  ...pictureCalls,
  ...questionCalls,
  ...pollCalls,
  ...roleCalls,
  ...signOnCalls,
  ...transparencyCalls,
  ...unmaskingCalls,
  ...webAppCalls,
} as const satisfies Record<
  RouteName,
  { params?: z.ZodType; query?: z.ZodType; body?: z.ZodType; reply: z.ZodType }
>;

export type Http = typeof http;
type In<N extends RouteName, Part extends string> =
  Http[N] extends Record<Part, z.ZodType> ? z.input<Http[N][Part]> : undefined;

/** The input of a call: only the parts that the call has. */
export type CallInput<N extends RouteName> = {
  [Part in 'params' | 'query' | 'body' as Part extends keyof Http[N] ? Part : never]: In<N, Part>;
};
export type CallReply<N extends RouteName> = z.output<Http[N]['reply']>;
