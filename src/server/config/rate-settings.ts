// Reads the limits: LIMIT_FACTOR scales them, and LIMITS sets single ones.
import { defaultRates, type Rate, type RateName, type Rates } from '#server/base/rates.ts';

export type ChosenRates = readonly (readonly [RateName, Rate | null])[];

export const rateNames = Object.keys(defaultRates) as RateName[];
const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const maxPeriodMs = 31 * 86_400_000;

/** They protect a person from others, so a factor for a busy campus does not change them. */
export const unscaledRates: ReadonlySet<RateName> = new Set([
  ...(['failedSignIns', 'failedSignInsOfAccount', 'rightPasswords'] as const),
  ...(['signUpMails', 'resetMails', 'mails', 'urgentMails', 'outsideMails'] as const),
  ...(['hallCodes', 'allHallCodes'] as const),
]);

/** Turns every limit off, for load tests and for tests of other features. */
export const unlimitedRates = { LIMIT_FACTOR: 'off' };

/**
 * @param factor null turns off all limits but the chosen ones
 * @param chosenRates the factor does not change them
 */
export function toRates(factor: number | null, chosenRates: ChosenRates): Rates {
  const scaledRates = rateNames.map((name) => [name, scaleRate(name, factor)] as const);
  return Object.fromEntries([...scaledRates, ...chosenRates]) as unknown as Rates;
}

function scaleRate(name: RateName, factor: number | null): Rate | null {
  if (factor === null) return null;
  const rate = defaultRates[name];
  return unscaledRates.has(name) ? rate : { ...rate, count: rate.count * factor };
}

export function formatChosenRates(rates: ChosenRates): string {
  return rates.map(([name, rate]) => `${name}=${formatRate(rate)}`).join(', ');
}

/** Formats a limit as LIMITS has it. */
export function formatRate(rate: Rate | null): string {
  if (!rate) return 'off';
  const [unit = 's', unitLength = 1000] =
    Object.entries(unitMs).findLast(([, ms]) => rate.periodMs % ms === 0) ?? [];
  return `${rate.count}/${rate.periodMs / unitLength}${unit}`;
}

/** Parses an item of LIMITS, such as `posts=30/10s` or `posts=off`. */
export function parseChosenRate(text: string): [RateName, Rate | null] | null {
  const [, givenName, rateText] = /^(\w+) ?= ?(\S+)$/.exec(text) ?? [];
  const name = rateNames.find((candidate) => candidate === givenName);
  if (!name || !rateText) return null;
  if (rateText === 'off') return [name, null];
  const [, count, times, unit] = /^(\d{1,9})\/(\d{0,6})([smhd])$/.exec(rateText) ?? [];
  const rate = { count: Number(count), periodMs: Number(times || 1) * (unitMs[unit ?? ''] ?? 0) };
  const isRate = rate.count >= 1 && rate.periodMs > 0 && rate.periodMs <= maxPeriodMs;
  return isRate ? [name, rate] : null;
}
