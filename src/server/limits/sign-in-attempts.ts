// Passwords that were tried for an address and are not known to be right: past the limit each makes
// the next one wait, longer and longer, but never for long: nobody can lock somebody else out.
import { Refusal } from '#contract/errors.ts';
import type { Limiter } from './limiter.ts';
import type { Rates } from './rates.ts';

export interface SignInAttempts {
  /**
   * To be called before the password is looked at, so that many at once are counted too.
   *
   * @param key of the address, whether it has an account or not
   * @throws {Refusal} TOO_MANY, with the time to wait
   * @returns to be called when the password was right: then nothing has failed
   */
  begin(key: string): () => void;
}

const firstWaitMs = 1000; // LIMIT-3
const longestWaitMs = 60_000; // LIMIT-3
const mostKeys = 20_000;

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
      if (failures.size <= mostKeys && at - lastAt < quietMs) return;
      failures.delete(key);
    }
  }

  return {
    begin(key) {
      const at = now();
      if (rate) {
        forget(at, rate.periodMs);
        const before = failures.get(key);
        const waitMs = (before?.notBefore ?? at) - at;
        if (waitMs > 0) throw new Refusal('TOO_MANY', undefined, Math.ceil(waitMs));
      }
      limiter.take('failedSignInsInAll', '');
      if (rate) {
        const count = (failures.get(key)?.count ?? 0) + 1;
        const over = count - rate.count;
        const delayMs = over < 0 ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** over);
        failures.delete(key);
        failures.set(key, { count, lastAt: at, notBefore: at + delayMs });
      }
      return () => {
        failures.delete(key);
        limiter.giveBack('failedSignInsInAll', '');
      };
    },
  };
}
