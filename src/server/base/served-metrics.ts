// The complete list of what /metrics says about the work of the server: names, labels, their values, and the step of each
// number. Every label value is a constant of this file. tests/app/health/metrics.test.ts repeats the list.
import type { ErrorCode } from '#contract/errors.ts';
import type { RateName } from './rates.ts';

/**
 * The limits that have a label value. The others belong to rare actions, such as reports and appeals, and count together.
 */
const shownLimits = [
  ...(['signUps', 'signIns', 'failedSignIns', 'failedSignInsOfAccount', 'suspectSignIns'] as const),
  ...(['resets', 'posts', 'edits', 'deletes', 'reactions', 'uploads', 'searches'] as const),
  ...(['messageSearches', 'historyPages', 'subscriptions', 'readMarks', 'sockets'] as const),
  ...(['pictures', 'calls', 'visits', 'refusals', 'frames'] as const),
] satisfies RateName[];

/** The codes of rare actions count together, as with limits. */
const shownRejections = [
  ...(['UNAUTHENTICATED', 'WRONG_CREDENTIALS', 'INVALID', 'NOT_FOUND', 'UNKNOWN_HOST'] as const),
  ...([
    'FORBIDDEN_ORIGIN',
    'UPGRADE_REQUIRED',
    'TOO_LARGE',
    'TOO_MANY',
    'IMAGE_TOO_LARGE',
  ] as const),
  ...(['IMAGE_NOT_A_PICTURE', 'IMAGE_BROKEN', 'PDF_BROKEN', 'PDF_TOO_COMPLEX'] as const),
] satisfies ErrorCode[];

/** The server's own fault or overload. */
const failures = ['INTERNAL', 'UNAVAILABLE', 'PDF_BUSY'] as const satisfies ErrorCode[];

export const queues = ['mail', 'push', 'search_writes', 'pictures'] as const;
export type QueueName = (typeof queues)[number];

/** What an operator must repair before members notice it. */
export const watchedParts = ['mail', 'backup', 'clock', 'disk'] as const;
export type WatchedPart = (typeof watchedParts)[number];

/** More than what one person does within a minute. */
const step = 100;
/** The step for failures of the server, whose log lines tell the exact time anyway. */
const failureStep = 10;
/** One message has many recipients, and one typed query has many searches. */
const largeStep = 1000;
/** The step for numbers of sockets and of waiting jobs. */
export const gaugeStep = 10;

interface CounterDefinition<Value extends string> {
  name: string;
  help: string;
  label: string;
  steps: Readonly<Record<Value, number>>;
}

export const counters = {
  commitProblems: {
    name: 'backchannel_commit_problems_total',
    help: 'Commits that were retried because the database was busy, and commits that failed.',
    label: 'problem',
    steps: { retried: failureStep, failed: failureStep },
  },
  deliveries: {
    name: 'backchannel_deliveries_total',
    help: 'Frames for subscribers: events of open classes, and notices of activity in others.',
    label: 'kind',
    steps: { events: largeStep, notices: largeStep },
  },
  busProblems: {
    name: 'backchannel_bus_problems_total',
    help: 'Reads of the log for what Redis did not bring in time, and messages that no node of this database had sent.',
    label: 'problem',
    steps: { repaired: failureStep, refused: failureStep },
  },
  pictures: {
    name: 'backchannel_pictures_total',
    help: 'Uploaded pictures and PDFs that were processed, and those that the server could not process or store.',
    label: 'outcome',
    steps: { processed: step, failed: failureStep },
  },
  mails: {
    name: 'backchannel_mails_total',
    help: 'Mails that the mail server accepted, and attempts that failed.',
    label: 'outcome',
    steps: { sent: step, failed: failureStep },
  },
  pushes: {
    name: 'backchannel_pushes_total',
    help: 'Notifications that a push service accepted, and attempts that failed.',
    label: 'outcome',
    steps: { sent: step, failed: failureStep },
  },
  limits: {
    name: 'backchannel_limits_hit_total',
    help: 'Actions beyond a rate limit.',
    label: 'limit',
    steps: toSteps([...shownLimits, 'other'], step),
  },
  refusals: {
    name: 'backchannel_refusals_total',
    help: 'Refused requests and frames.',
    label: 'code',
    steps: toSteps([...shownRejections, 'other'], step),
  },
  failures: {
    name: 'backchannel_failures_total',
    help: 'Requests and frames that failed because of the server.',
    label: 'code',
    steps: toSteps(failures, failureStep),
  },
  interfaceErrors: {
    name: 'backchannel_interface_errors_total',
    help: 'Exceptions in the pages of the app. Each open page reports at most one a minute.',
    label: 'source',
    steps: { page: step },
  },
} as const satisfies Record<string, CounterDefinition<string>>;

export type CounterName = keyof typeof counters;
export type LabelValue<Name extends CounterName> = keyof (typeof counters)[Name]['steps'] & string;

interface HistogramDefinition {
  name: string;
  help: string;
  step: number;
  buckets: readonly number[];
}

export const histograms = {
  batchSize: {
    name: 'backchannel_commit_batch_size',
    help: 'Changes per commit.',
    step,
    buckets: [1, 2, 5, 10, 20, 50, 100, 256],
  },
  commitSeconds: {
    name: 'backchannel_commit_seconds',
    help: 'Time from the start of a transaction until the database has it.',
    step,
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
  },
  searchSeconds: {
    name: 'backchannel_search_seconds',
    help: 'Time to answer a search for classes.',
    step: largeStep,
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
  },
} as const satisfies Record<string, HistogramDefinition>;

export type HistogramName = keyof typeof histograms;

export function toLimitLabel(name: RateName): LabelValue<'limits'> {
  return isIn(shownLimits, name) ? name : 'other';
}

export function toRejectionLabel(code: ErrorCode): LabelValue<'refusals'> {
  return isIn(shownRejections, code) ? code : 'other';
}

export function isFailure(code: ErrorCode): code is (typeof failures)[number] {
  return isIn(failures, code);
}

function isIn<Value extends string>(list: readonly Value[], value: string): value is Value {
  return (list as readonly string[]).includes(value);
}

function toSteps<Value extends string>(values: readonly Value[], stepSize: number) {
  return Object.fromEntries(values.map((value) => [value, stepSize])) as Record<Value, number>;
}
