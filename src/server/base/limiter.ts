// Counts actions against the rate limits, in memory only, because losing the counts does no harm.
import { AppError } from '#contract/errors.ts';
import type { Network } from './client-addresses.ts';
import type { Rate, RateName, Rates } from './rates.ts';

export interface Limiter {
  /**
   * @param key whose limit it is: an account's id, or the keyed hash of an address
   * @param cost the number of actions; if they exceed the limit, none of them counts
   * @throws {AppError} this code, with the time to wait
   */
  take(
    name: RateName,
    key: string,
    cost?: number,
    code?: 'TOO_MANY' | 'TOO_MANY_BYTES' | 'PDF_TOO_MANY' | 'TOO_MANY_REPORTS' | 'TOO_MANY_APPEALS',
  ): void;
  /** Takes one if the limit allows it. Returns whether it did. */
  tryTake(name: RateName, key: string): boolean;
  /** Whether one more would exceed the limit. Takes nothing. */
  isExhausted(name: RateName, key: string): boolean;
  /** Gives back what was taken, so that it does not count. */
  refund(name: RateName, key: string, cost?: number): void;
  /** Counts actions without a check, even beyond the limit, for example actions that another node allowed. */
  countUnchecked(name: RateName, key: string, cost: number): void;
  /**
   * Takes one, also beyond the limit.
   *
   * @returns the milliseconds after which it is within the limit; 0 means now. Infinity if that is more than a period
   *   away: then it took nothing.
   */
  reserve(name: RateName, key: string): number;
}

/** The longest wait in periods, from an empty bucket: no caller waits longer than one period, however large the burst is. */
const longestWaits = 2;

/**
 * Implements the generic cell rate algorithm (GCRA). It stores one time per key: when the evenly refilling
 * bucket is full again. That is the whole state of the bucket.
 *
 * @param now a monotonic clock in milliseconds
 * @param onHit called for each action beyond a limit
 */
export function createLimiter(
  rates: Rates,
  now: () => number = () => performance.now(),
  onHit: (name: RateName) => void = () => {},
): Limiter {
  const timesByRate = new Map<RateName, ReturnType<typeof createExpiringTimes>>();

  function getTimes(name: RateName) {
    const existingTimes = timesByRate.get(name);
    if (existingTimes) return existingTimes;
    const times = createExpiringTimes();
    timesByRate.set(name, times);
    return times;
  }

  /**
   * Computes when the bucket is full again if `cost` more is taken, and how long the caller must wait
   * for it.
   */
  function peek(name: RateName, rate: Rate, key: string, cost: number) {
    const requestedAt = now();
    const fullAt =
      Math.max(getTimes(name).get(key) ?? requestedAt, requestedAt) +
      (cost * rate.periodMs) / rate.count;
    return { requestedAt, fullAt, waitMs: Math.max(0, fullAt - requestedAt - rate.periodMs) };
  }

  /** @returns the time to wait, or 0 if the cost was taken */
  function tryCost(name: RateName, key: string, cost: number): number {
    const rate = rates[name];
    if (!rate) return 0;
    const { requestedAt, fullAt, waitMs } = peek(name, rate, key, cost);
    // A shorter wait is a floating-point rounding error.
    if (waitMs >= 0.001) {
      onHit(name);
      return waitMs;
    }
    getTimes(name).set(key, fullAt, requestedAt);
    return 0;
  }

  return {
    take(name, key, cost = 1, code = 'TOO_MANY') {
      const waitMs = tryCost(name, key, cost);
      if (waitMs > 0) throw new AppError(code, undefined, Math.ceil(waitMs));
    },
    tryTake: (name, key) => tryCost(name, key, 1) === 0,
    isExhausted(name, key) {
      const rate = rates[name];
      return rate !== null && peek(name, rate, key, 1).waitMs >= 0.001;
    },
    refund(name, key, cost = 1) {
      const rate = rates[name];
      const fullAt = rate && getTimes(name).get(key);
      if (fullAt) getTimes(name).set(key, fullAt - (cost * rate.periodMs) / rate.count, now());
    },
    countUnchecked(name, key, cost) {
      const rate = rates[name];
      if (!rate) return;
      const { requestedAt, fullAt } = peek(name, rate, key, cost);
      getTimes(name).set(
        key,
        Math.min(fullAt, requestedAt + longestWaits * rate.periodMs),
        requestedAt,
      );
    },
    reserve(name, key) {
      const rate = rates[name];
      if (!rate) return 0;
      const { requestedAt, fullAt, waitMs } = peek(name, rate, key, 1);
      if (waitMs > 0) onHit(name);
      if (waitMs > rate.periodMs) return Infinity;
      getTimes(name).set(key, fullAt, requestedAt);
      return waitMs;
    },
  };
}

/**
 * Counts against each network around an address. Wider networks have proportionally higher limits.
 *
 * @throws {AppError} TOO_MANY; in this case nothing counts
 * @returns a function that gives back what was taken
 */
export function takeFromNetworks(limiter: Limiter, name: RateName, networks: readonly Network[]) {
  const takenNetworks: Network[] = [];
  const refund = () => {
    for (const { key, limitMultiplier } of takenNetworks.splice(0)) {
      limiter.refund(name, key, 1 / limitMultiplier);
    }
  };
  try {
    for (const network of networks) {
      limiter.take(name, network.key, 1 / network.limitMultiplier);
      takenNetworks.push(network);
    }
  } catch (error) {
    refund();
    throw error;
  }
  return refund;
}

/**
 * Counts mails to one mailbox for each network around an address, so that no network uses up the mails of another.
 *
 * @throws {AppError} TOO_MANY; in this case nothing counts
 */
export function takeForMailbox(
  limiter: Limiter,
  name: RateName,
  mailbox: string,
  networks: readonly Network[],
): void {
  const ofMailbox = networks.map(({ key, limitMultiplier }) => ({
    key: `${mailbox} ${key}`,
    limitMultiplier,
  }));
  takeFromNetworks(limiter, name, ofMailbox);
}

/** The maximum number of keys per limit. Above it, the least recently used key is forgotten. */
const maxKeys = 20_000;

/** Stores a time for each recently used key. The map is bounded and drops times that have passed. */
export function createExpiringTimes(maxSize = maxKeys) {
  // Ordered by last use, oldest first.
  const times = new Map<string, number>();

  function evict(now: number): void {
    for (const [key, time] of times) {
      if (times.size <= maxSize && time > now) return;
      times.delete(key);
    }
  }

  return {
    get: (key: string) => times.get(key),
    set(key: string, time: number, now: number): void {
      times.delete(key);
      times.set(key, time);
      evict(now);
    },
    get size(): number {
      return times.size;
    },
  };
}
