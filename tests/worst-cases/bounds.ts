// The work that the worst inputs of each call and frame may cause (LIMIT-56), what they may add in a day (LIMIT-56), and how often
// the limits allow them. To change a number, say why in the commit.
import { calls as contract } from '#contract/http.ts';
import { routes } from '#contract/routes.ts';
import { defaultRates, rateOfFrame, type RateName } from '#server/base/rates.ts';
import { calls } from '#tests/calls/calls.ts';
import type { Cost, DayBound } from '#tests/calls/facts.ts';
import { frames } from '#tests/calls/frames.ts';
import { isFrame, type OperationName } from './stage.ts';

const usualCost: Cost = {
  statements: 30,
  rowsRead: 15,
  rowsWritten: 6,
  kilobytesWritten: 3,
  kilobytesSent: 3,
  frames: 2,
  mails: 0,
  files: 0,
  cpuMs: 150,
};
const usualCostOfRead: Cost = {
  ...usualCost,
  statements: 11,
  rowsRead: 10,
  rowsWritten: 4,
  kilobytesWritten: 1,
};
const usualCostOfFrame: Cost = { ...usualCost, rowsRead: 14, rowsWritten: 8, frames: 6 };

/** The most processor time in which the server reacts to nothing, in milliseconds. */
export const longestTurnMs = 50;
/** What 99 of 100 posts of another member wait at most while a student acts as often as the limits allow. */
export const longestWaitAtFullRateMs = 250;

export function findCost(name: OperationName): Cost {
  if (isFrame(name)) return { ...usualCostOfFrame, ...frames[name].cost };
  const isRead = routes[name].method === 'GET';
  return { ...(isRead ? usualCostOfRead : usualCost), ...calls[name].cost };
}

/** The answer of a success: without it, the figures are those of a rejection. */
export function findAnswer(name: OperationName): string {
  if (!isFrame(name)) return calls[name].largest?.answer ?? '200';
  return 'rid' in frames[name].frame({ classId: '', messageId: '' }, 1) ? 'ack' : 'sent';
}

export const noGrowth: DayBound = { rows: 0, megabytes: 0, mails: 0, files: 0 };

export function findDayBound(name: OperationName): DayBound & { ofNetwork?: true } {
  const { inADay } = isFrame(name) ? frames[name] : calls[name];
  return { ...noGrowth, ...inADay };
}

/** All of them together, with the files of uploads: twice 300 MB in the first day, because a limit begins full. */
export const dayTotal: DayBound = { rows: 980_000, megabytes: 785, mails: 1100, files: 30_000 };

/**
 * Tables with a bound of their own: a class's log keeps 2,500 entries, change events are 1,000, an account
 * has 50 sessions, 5,000 mails wait, and each other one has a row for something that the server has anyway.
 */
export const boundedTables: readonly string[] = [
  ...['log', 'changeEvents', 'sessions', 'registers'],
  ...['serverMetadata', 'leases', 'commitReceipts', 'reportCounts', 'outgoingMails'],
];

export interface RateOfAct {
  /** How many actions are possible together. */
  burst: number;
  /** How many follow in a second. */
  perSecond: number;
}

export function findRateOfAct(name: OperationName): RateOfAct {
  const names = isFrame(name)
    ? (['frames', rateOfFrame[name]] as const)
    : (['calls', contract[name].limit as RateName | undefined, calls[name].countedRate] as const);
  const rates = names.flatMap((rate) => (rate ? defaultRates[rate] : []));
  return {
    burst: Math.min(...rates.map(({ count }) => count)),
    perSecond: Math.min(...rates.map(({ count, periodMs }) => (count * 1000) / periodMs)),
  };
}
