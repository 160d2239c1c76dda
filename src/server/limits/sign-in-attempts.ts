// Passwords that were tried and are not known to be right. What strangers try makes their own network wait,
// and neither the account's known browsers nor other networks: nobody can lock somebody else out.
import { AppError } from '#contract/errors.ts';
import type { Network } from './client-addresses.ts';
import type { Limiter } from './limiter.ts';
import { takeEach } from './networks.ts';
import type { Rates } from './rates.ts';

/** Whose password is tried, and from where. */
export interface Attempt {
  /** A key of the account's mailbox, whether there is an account or not. */
  account: string;
  networks: readonly Network[];
  /** The id of a browser or session that the account knows; null for everybody else. */
  known: string | null;
}

export interface StartedAttempt {
  /** Much fails in this network: its attempts wait behind others'. */
  suspect: boolean;
  /** To be called when the password was right: then nothing has failed. */
  succeed(): void;
  /** To be called when it was wrong. */
  fail(): void;
}

export interface SignInAttempts {
  /**
   * To be called before the password is looked at, so that many at once are counted too.
   *
   * @throws {AppError} TOO_MANY, with the time to wait
   */
  begin(attempt: Attempt): StartedAttempt;
}

const firstWaitMs = 1000; // LIMIT-3
const maxWaitMs = 60_000; // LIMIT-3
const maxKeys = 50_000;

interface Failures {
  count: number;
  lastAt: number;
  /** Until then nothing is tried. */
  notBefore: number;
}

export function createSignInAttempts(
  { failedSignIns: rate }: Rates,
  limiter: Limiter,
  now: () => number = () => performance.now(),
): SignInAttempts {
  // In the order of the last failure, the oldest first.
  const failures = new Map<string, Failures>();

  function forget(at: number, quietMs: number): void {
    for (const [key, { lastAt }] of failures) {
      if (failures.size <= maxKeys && at - lastAt < quietMs) return;
      failures.delete(key);
    }
  }

  /** @throws {AppError} TOO_MANY */
  function checkWaits(keys: Iterable<string>): void {
    const at = now();
    if (rate) forget(at, rate.periodMs);
    const waits = Array.from(keys, (key) => (failures.get(key)?.notBefore ?? at) - at);
    const waitMs = Math.max(...waits);
    if (waitMs > 0) throw new AppError('TOO_MANY', undefined, Math.ceil(waitMs));
  }

  /** @param free how many may fail before the next one waits */
  function countFailure(key: string, free: number): void {
    const at = now();
    const count = (failures.get(key)?.count ?? 0) + 1;
    const over = count - free;
    const delayMs = over < 0 ? 0 : Math.min(maxWaitMs, firstWaitMs * 2 ** over);
    failures.delete(key);
    failures.set(key, { count, lastAt: at, notBefore: at + delayMs });
  }

  return {
    begin({ account, networks, known }) {
      const buckets = known
        ? [{ key: `known ${known} ${account}`, width: 1 }]
        : networks.map(({ key, width }) => ({ key: `${key} ${account}`, width }));
      const keys = buckets.map(({ key }) => key);
      checkWaits(keys);
      const giveBack = known ? () => {} : takeEach(limiter, 'signIns', networks);
      const calm = known !== null || limiter.tryTake('failedSignInsOfAccount', account);
      if (rate) {
        // From many networks at once each has one try before it waits.
        for (const { key, width } of buckets) countFailure(key, calm ? rate.count * width : 1);
      }
      return {
        suspect: !known && networks.some(({ key }) => limiter.isSpent('suspectSignIns', key)),
        fail() {
          // Not when it begins: a lecture hall that signs in at the same moment is no attack.
          if (!known) for (const { key } of networks) limiter.tryTake('suspectSignIns', key);
        },
        succeed() {
          for (const key of keys) failures.delete(key);
          if (known) return;
          giveBack();
          if (calm) limiter.giveBack('failedSignInsOfAccount', account);
        },
      };
    },
  };
}
