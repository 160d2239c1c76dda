// Reads the limits from settings such as LIMIT_POSTS=30/10s or LIMIT_POSTS=off.
import { StartupError } from '#server/base/startup-failure.ts';
import { defaultRates, type Rate, type RateName, type Rates } from '#server/base/rates.ts';

const rateNames = Object.keys(defaultRates) as RateName[];
const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const maxPeriodMs = 31 * 86_400_000;

/** Converts `newClasses` to LIMIT_NEW_CLASSES. */
function settingOf(name: RateName): string {
  return `LIMIT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

export const rateSettings: readonly string[] = rateNames.map(settingOf);

/** Turns every limit off, for load tests and for tests of other features. */
export const unlimitedRates: Readonly<Record<string, string>> = Object.fromEntries(
  rateNames.map((name) => [settingOf(name), 'off']),
);

/** Each limit as its setting would say it. */
export function formatRates(rates: Rates): [name: string, value: string][] {
  return rateNames.map((name) => [settingOf(name), formatRate(rates[name])]);
}

function formatRate(rate: Rate | null): string {
  if (!rate) return 'off';
  const [unit = 's', unitLength = 1000] =
    Object.entries(unitMs).findLast(([, ms]) => rate.periodMs % ms === 0) ?? [];
  return `${rate.count}/${rate.periodMs / unitLength}${unit}`;
}

/** @throws {StartupError} */
export function readRates(environment: Readonly<Record<string, string | undefined>>): Rates {
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith('LIMIT_') && !rateSettings.includes(name),
  );
  if (unknown) {
    throw new StartupError(`${unknown} is not a limit. The limits are ${rateSettings.join(', ')}.`);
  }
  return Object.fromEntries(
    rateNames.map((name) => {
      const text = environment[settingOf(name)]?.trim();
      return [name, text ? readRate(settingOf(name), text) : defaultRates[name]];
    }),
  ) as Rates;
}

function readRate(setting: string, text: string): Rate | null {
  if (text === 'off') return null;
  const [, count, times, unit] = /^(\d{1,9})\/(\d{0,6})([smhd])$/.exec(text) ?? [];
  const rate = { count: Number(count), periodMs: Number(times || 1) * (unitMs[unit ?? ''] ?? 0) };
  if (rate.count >= 1 && rate.periodMs > 0 && rate.periodMs <= maxPeriodMs) return rate;
  throw new StartupError(
    `${setting} is "${text}": use for example 30/10s, 100/10m or 50/1d (at most 31 days), or off.`,
  );
}
