// Counts actions against the rate limits, in memory only, because losing the counts does no harm.
import { AppError } from '#contract/errors.ts';
import { createExpiringTimes } from './expiring-times.ts';
import type { Rate, RateName, Rates } from './rates.ts';

export interface Limiter {
  /**
   * @param key whose limit it is: an account's id, or the keyed hash of an address
   * @param cost the number of actions; if they exceed the limit, none of them counts
   * @throws {AppError} TOO_MANY, with the time to wait
   */
  take(name: RateName, key: string, cost?: number): void;
  /** Takes one if the limit allows it. Returns whether it did. */
  tryTake(name: RateName, key: string): boolean;
  /** Whether one more would exceed the limit. Takes nothing. */
  isSpent(name: RateName, key: string): boolean;
  /** Gives back what was taken, so that it does not count. */
  giveBack(name: RateName, key: string, cost?: number): void;
  /** Always takes one. Returns the milliseconds until its turn; 0 means now. */
  book(name: RateName, key: string): number;
}

/**
 * Implements the generic cell rate algorithm. It stores one time per key, at which everything taken is
 * given back. That is the full state of an evenly refilling bucket.
 *
 * @param now a monotonic clock in milliseconds
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

  /**
   * Computes when everything is given back if `cost` more is taken, and how long the caller must wait
   * for it.
   */
  function look(name: RateName, rate: Rate, key: string, cost: number) {
    const at = now();
    const full = Math.max(timesOf(name).get(key) ?? at, at) + (cost * rate.periodMs) / rate.count;
    return { at, full, waitMs: Math.max(0, full - at - rate.periodMs) };
  }

  /** @returns the time to wait, or 0 if the cost was taken */
  function tryCost(name: RateName, key: string, cost: number): number {
    const rate = rates[name];
    if (!rate) return 0;
    const { at, full, waitMs } = look(name, rate, key, cost);
    // A shorter wait is a floating-point rounding error.
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
      // No caller waits longer than one period, however large the burst is.
      timesOf(name).set(key, Math.min(full, at + 2 * rate.periodMs), at);
      return Math.min(waitMs, rate.periodMs);
    },
  };
}
