// Every call of the contract has an entry: without one, this does not compile.
import { routes, type RouteName } from '#contract/routes.ts';
import type { CallFacts } from './facts.ts';
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

export const calls: Record<RouteName, CallFacts> = {
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
  ...pollCalls,
  ...privateQuestionCalls,
  ...questionCalls,
  ...roleCalls,
  ...secondFactorCalls,
  ...signOnCalls,
  ...topicCalls,
  ...transparencyCalls,
  ...unmaskingCalls,
  ...webAppCalls,
};
export const callNames = Object.keys(routes) as RouteName[];
