// Hashing a password takes 20 MB and a core for a while: only so much of it at once, and in fair turns.
import { AppError } from '#contract/errors.ts';
import { retryTime } from '../retry-time.ts';

/** Whose turn it is: networks of one priority take turns, however much each of them asks. */
export interface Turn {
  network: string;
  /** `known`: a browser that the account knows. `suspect`: a network where much fails. */
  priority: 'known' | 'ordinary' | 'suspect';
}

export interface PasswordWork {
  /**
   * Waits for its turn. Give it the whole call and not the hashing alone: what is refused must not
   * have begun, or a mailed link would be used up by it.
   *
   * @throws {AppError} TOO_MANY if too many wait, or if the turn comes too late
   */
  run<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result>;
}

/** Those who wait longer than this have most likely gone. */
const timeoutMs = 30_000;
/** Of one hash, on a slow machine. */
const workMs = 50;

interface Waiting {
  since: number;
  start(): void;
  refuse(): void;
}

/**
 * @param atOnce how many hashes are made at the same time
 * @param now in milliseconds, of a clock that nobody sets
 */
export function createPasswordWork(
  atOnce: number,
  now: () => number = () => performance.now(),
): PasswordWork {
  const maxWaiting = (atOnce * timeoutMs) / workMs;
  /** The queues of each priority's networks; the first network has the next turn. */
  const laneOf = {
    known: new Map<string, Waiting[]>(),
    ordinary: new Map<string, Waiting[]>(),
    suspect: new Map<string, Waiting[]>(),
  };
  const lanes = [laneOf.known, laneOf.ordinary, laneOf.suspect];
  let waitingCount = 0;
  let running = 0;

  /** The first one in line of the network whose turn it is. */
  function next(): Waiting | undefined {
    for (const lane of lanes) {
      for (const [network, queue] of lane) {
        const first = queue.shift();
        lane.delete(network);
        if (queue.length > 0) lane.set(network, queue);
        if (first) waitingCount -= 1;
        if (first) return first;
      }
    }
    return undefined;
  }

  /** Refuses the newest of whoever waits most, in the last lane that has anybody. */
  function dropOne(): void {
    const lane = lanes.findLast(({ size }) => size > 0);
    const longest = [...(lane ?? [])].reduce((a, b) => (b[1].length > a[1].length ? b : a));
    const [network, queue] = longest;
    queue.pop()?.refuse();
    if (queue.length === 0) lane?.delete(network);
    waitingCount -= 1;
  }

  function enqueue({ network, priority }: Turn): Promise<void> {
    return new Promise((start, reject) => {
      const refuse = () => reject(new AppError('TOO_MANY', undefined, retryTime(timeoutMs)));
      const lane = laneOf[priority];
      const queue = lane.get(network) ?? [];
      queue.push({ since: now(), start, refuse });
      lane.set(network, queue);
      waitingCount += 1;
      if (waitingCount > maxWaiting) dropOne();
    });
  }

  /** Hands the place to whoever is next. */
  function handOver(): void {
    for (;;) {
      const one = next();
      if (!one) break;
      if (now() - one.since <= timeoutMs) return one.start();
      one.refuse();
    }
    running -= 1;
  }

  return {
    async run(turn, work) {
      if (running >= atOnce) await enqueue(turn);
      else running += 1;
      try {
        return await work();
      } finally {
        handOver();
      }
    },
  };
}
