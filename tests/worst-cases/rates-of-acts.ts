// How often the limits let one student make a call or send a frame.
import { routes, type RouteName } from '#contract/routes.ts';
import { defaultRates, rateOfFrame, type Rate } from '#server/base/rates.ts';
import { listRegisteredCalls } from '#tests/support/registered-calls.ts';
import type { OperationName } from './stage.ts';

export interface RateOfAct {
  /** How many actions are possible together. */
  burst: number;
  /** How many follow in a second. */
  perSecond: number;
}

const registeredRates = new Map(listRegisteredCalls().map(({ name, rate }) => [name, rate]));

/** Limits that the calls count themselves. */
const otherRates: Partial<Record<OperationName, Rate>> = {
  reportMember: defaultRates.reports,
  appeal: defaultRates.appeals,
  signIn: defaultRates.rightPasswords,
  joinSignOn: defaultRates.rightPasswords,
  // To the mailbox of the account that the person joins.
  mailSignOnLink: defaultRates.mails,
  changePassword: defaultRates.rightPasswords,
  deleteAccount: defaultRates.rightPasswords,
  searchClasses: defaultRates.searches,
};

export function findRateOfAct(name: OperationName): RateOfAct {
  const rates = isCall(name)
    ? [defaultRates.calls, otherRates[name], toRate(registeredRates.get(name))]
    : [defaultRates.frames, toRate(rateOfFrame[name])];
  const knownRates = rates.filter((rate) => rate !== undefined);
  return {
    burst: Math.min(...knownRates.map(({ count }) => count)),
    perSecond: Math.min(...knownRates.map(({ count, periodMs }) => (count * 1000) / periodMs)),
  };
}

const isCall = (name: OperationName): name is RouteName => Object.hasOwn(routes, name);

const toRate = (name: keyof typeof defaultRates | null | undefined) =>
  name ? defaultRates[name] : undefined;
