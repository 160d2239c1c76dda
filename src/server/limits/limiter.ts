// Counts what is done against the limits, in memory alone: what is forgotten was nothing to remember.
import { AppError } from '#contract/errors.ts';
import { createExpiringTimes } from './expiring-times.ts';
import type { Rate, RateName, Rates } from './rates.ts';

export interface Limiter {
  /**
   * @param key whose it is: an account's id, or the keyed hash of an address
   * @param cost how many at once; none of them counts when there are too many
   * @throws {AppError} TOO_MANY, with the time to wait
   */
  take(name: RateName, key: string, cost?: number): void;
  /** Takes where there is one left. */
  tryTake(name: RateName, key: string): boolean;
  /** Whether one more is too many; takes nothing. */
  isSpent(name: RateName, key: string): boolean;
  /** Gives back what was taken and should not count. */
  giveBack(name: RateName, key: string, cost?: number): void;
  /** Takes in any case, and says after how many milliseconds its turn comes; 0 is now. */
  book(name: RateName, key: string): number;
}

/**
 * The generic cell rate algorithm: of each key only the time is kept at which all that it took is
 * given back, which is the whole of a bucket that fills evenly.
 *
 * @param now in milliseconds, of a clock that nobody sets
 */
export function createLimiter(rates: Rates, now: () => number = () => performance.now()): Limiter {
  const kept = new Map<RateName, ReturnType<typeof createExpiringTimes>>();

  function timesOf(name: RateName) {
    const known = kept.get(name);
    if (known) return known;
    const times = createExpiringTimes();
    kept.set(name, times);
    return times;
  }

  /** When all is given back once `cost` more is taken, and how long that is too early. */
  function look(name: RateName, rate: Rate, key: string, cost: number) {
    const at = now();
    const full = Math.max(timesOf(name).get(key) ?? at, at) + (cost * rate.periodMs) / rate.count;
    return { at, full, waitMs: Math.max(0, full - at - rate.periodMs) };
  }

  /** @returns how long to wait, 0 where it was taken */
  function tryCost(name: RateName, key: string, cost: number): number {
    const rate = rates[name];
    if (!rate) return 0;
    const { at, full, waitMs } = look(name, rate, key, cost);
    // A hair of time that floating point makes of nothing is nothing.
    if (waitMs >= 0.001) return waitMs;
    timesOf(name).set(key, full, at);
    return 0;
  }

  return {
    take(name, key, cost = 1) {
      const waitMs = tryCost(name, key, cost);
      if (waitMs > 0) throw new AppError('TOO_MANY', undefined, Math.ceil(waitMs));
    },
    tryTake: (name, key) => tryCost(name, key, 1) === 0,
    isSpent(name, key) {
      const rate = rates[name];
      return rate !== null && look(name, rate, key, 1).waitMs >= 0.001;
    },
    giveBack(name, key, cost = 1) {
      const rate = rates[name];
      const full = rate && timesOf(name).get(key);
      if (full) timesOf(name).set(key, full - (cost * rate.periodMs) / rate.count, now());
    },
    book(name, key) {
      const rate = rates[name];
      if (!rate) return 0;
      const { at, full, waitMs } = look(name, rate, key, 1);
      // Nobody has to wait longer than one period, however much came at once.
      timesOf(name).set(key, Math.min(full, at + 2 * rate.periodMs), at);
      return Math.min(waitMs, rate.periodMs);
    },
  };
}
