// Hashing a password takes 20 MB and a core for a while: only so much of it at once.
import { Refusal } from '#contract/errors.ts';
import { retryTime } from '../retry-time.ts';

export interface PasswordWork {
  /**
   * Waits for its turn. Give it the whole call and not the hashing alone: what is refused must not
   * have begun, or a mailed link would be used up by it.
   *
   * @throws {Refusal} TOO_MANY where too many wait already
   */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Those who wait longer than this have most likely gone. */
const patienceMs = 5_000;
/** Of one hash, on a slow machine. */
const workMs = 100;

/** @param atOnce how many hashes are made at the same time */
export function createPasswordWork(atOnce: number): PasswordWork {
  const mostWaiting = (atOnce * patienceMs) / workMs;
  const waiting: (() => void)[] = [];
  let running = 0;

  return {
    async run(work) {
      if (running >= atOnce) {
        if (waiting.length >= mostWaiting) {
          throw new Refusal('TOO_MANY', undefined, retryTime(patienceMs));
        }
        await new Promise<void>((go) => waiting.push(go));
      } else {
        running += 1;
      }
      try {
        return await work();
      } finally {
        // Whoever is next takes over the place.
        const next = waiting.shift();
        if (next) next();
        else running -= 1;
      }
    },
  };
}
