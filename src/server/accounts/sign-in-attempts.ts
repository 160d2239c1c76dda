// Counts password attempts that have not succeeded. Attempts by strangers delay only the strangers' network, and neither the
// account's known browsers nor other networks, so no one can lock another person out.
import { AppError } from '#contract/errors.ts';
import type { Network } from '#server/base/client-addresses.ts';
import { type Limiter, takeFromNetworks } from '#server/base/limiter.ts';
import type { RateName, Rates } from '#server/base/rates.ts';

/** The account whose password is tried, and where the attempt comes from. */
export interface Attempt {
  /** A key of the account's mailbox, whether or not the account exists. */
  account: string;
  networks: readonly Network[];
  /** The id of a browser or session that the account knows, or null. */
  knownId: string | null;
}

export interface StartedAttempt {
  /** Whether the network has many failures, so that its attempts queue behind those of other networks. */
  isSuspect: boolean;
  /** Call this if the password was right. The attempt then no longer counts. */
  succeed(): void;
  /** Call this if the password was wrong. */
  fail(): void;
}

export interface SignInAttempts {
  /**
   * Counts the attempt. Call it before the password check, so that concurrent attempts count, too.
   *
   * @throws {AppError} TOO_MANY, with the time to wait
   */
  begin(attempt: Attempt): StartedAttempt;
}

/** Sends the failures of this node to the other nodes, and receives their failures. */
export interface SharedSignInFailures {
  /** Hashes a key. The hash is the same on all nodes. */
  hashKey(key: string): string;
  sendFailure(hashedKey: string, allowedFailures: number): void;
  sendSuccess(hashedKey: string): void;
  onFailure(listener: (hashedKey: string, allowedFailures: number) => void): void;
  onSuccess(listener: (hashedKey: string) => void): void;
}

const firstWaitMs = 1000; // LIMIT-3
const maxWaitMs = 60_000; // LIMIT-3
const maxKeys = 50_000;

interface Failures {
  count: number;
  lastAt: number;
  /** Attempts before this time are rejected. */
  notBefore: number;
}

export function createSignInAttempts(
  { failedSignIns: rate }: Rates,
  limiter: Limiter,
  now: () => number = () => performance.now(),
  onHit: (name: RateName) => void = () => {},
  shared?: SharedSignInFailures,
): SignInAttempts {
  // Ordered by last failure, oldest first.
  const failures = new Map<string, Failures>();

  function evict(time: number, maxAgeMs: number): void {
    for (const [key, { lastAt }] of failures) {
      if (failures.size <= maxKeys && time - lastAt < maxAgeMs) return;
      failures.delete(key);
    }
  }

  /** @throws {AppError} TOO_MANY */
  function checkWaits(keys: Iterable<string>): void {
    const time = now();
    if (rate) evict(time, rate.periodMs);
    const waits = Array.from(keys, (key) => (failures.get(key)?.notBefore ?? time) - time);
    const waitMs = Math.max(...waits);
    if (waitMs <= 0) return;
    onHit('failedSignIns');
    throw new AppError('TOO_MANY', undefined, Math.ceil(waitMs));
  }

  /** @param allowedFailures the number of failures before the next attempt has to wait */
  function countFailure(key: string, allowedFailures: number): void {
    const time = now();
    const count = (failures.get(key)?.count ?? 0) + 1;
    const excess = count - allowedFailures;
    const delayMs = excess < 0 ? 0 : Math.min(maxWaitMs, firstWaitMs * 2 ** excess);
    failures.delete(key);
    failures.set(key, { count, lastAt: time, notBefore: time + delayMs });
  }

  shared?.onFailure(countFailure);
  shared?.onSuccess((key) => void failures.delete(key));

  return {
    begin({ account, networks, knownId }) {
      const callers = knownId ? [{ key: `known ${knownId}`, limitMultiplier: 1 }] : networks;
      const buckets = callers.map(({ key: caller, limitMultiplier }) => {
        const key = `${caller} ${account}`;
        return { key: shared?.hashKey(key) ?? key, limitMultiplier };
      });
      const keys = buckets.map(({ key }) => key);
      checkWaits(keys);
      const refund = knownId ? () => {} : takeFromNetworks(limiter, 'signIns', networks);
      const isWithinAccountLimit =
        knownId !== null || limiter.tryTake('failedSignInsOfAccount', account);
      if (rate) {
        // If many networks attack one account, each network gets one attempt before it waits.
        for (const { key, limitMultiplier } of buckets) {
          const allowedFailures = isWithinAccountLimit ? rate.count * limitMultiplier : 1;
          countFailure(key, allowedFailures);
          shared?.sendFailure(key, allowedFailures);
        }
      }
      return {
        isSuspect:
          !knownId && networks.some(({ key }) => limiter.isExhausted('suspectSignIns', key)),
        fail() {
          // Only failures count: many sign-ins at the same time, as in a lecture hall, are not an attack.
          if (!knownId) for (const { key } of networks) limiter.tryTake('suspectSignIns', key);
        },
        succeed() {
          for (const key of keys) {
            failures.delete(key);
            shared?.sendSuccess(key);
          }
          if (knownId) return;
          refund();
          if (isWithinAccountLimit) limiter.refund('failedSignInsOfAccount', account);
        },
      };
    },
  };
}
