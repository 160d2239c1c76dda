// Schedules password hashing. One hash takes 20 MB and a CPU core, so concurrency is limited, and
// networks take fair turns.
import { AppError } from '#contract/errors.ts';
import { retryTime } from '../retry-time.ts';

/**
 * The scheduling key of a request. Networks of one priority take turns, however many requests each
 * sends.
 */
export interface Turn {
  network: string;
  /** `known`: a browser that the account knows. `suspect`: a network with many failed sign-ins. */
  priority: 'known' | 'ordinary' | 'suspect';
}

export interface PasswordWork {
  /**
   * Runs `work` when its turn comes. Pass the whole call, not only the hashing: a refused call must
   * have no side effects, such as using up a mailed link.
   *
   * @throws {AppError} TOO_MANY if the queue is full or the wait exceeds the timeout
   */
  run<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result>;
}

/** A client that has waited longer has most likely given up. */
const timeoutMs = 30_000;
/** The duration of one hash on a slow machine. */
const workMs = 50;

interface Waiting {
  since: number;
  start(): void;
  refuse(): void;
}

/**
 * @param atOnce the maximum number of concurrent hashes
 * @param now a monotonic clock in milliseconds
 */
export function createPasswordWork(
  atOnce: number,
  now: () => number = () => performance.now(),
): PasswordWork {
  const maxWaiting = (atOnce * timeoutMs) / workMs;
  /** The queues of each priority, by network. The first network in a map has the next turn. */
  const laneOf = {
    known: new Map<string, Waiting[]>(),
    ordinary: new Map<string, Waiting[]>(),
    suspect: new Map<string, Waiting[]>(),
  };
  const lanes = [laneOf.known, laneOf.ordinary, laneOf.suspect];
  let waitingCount = 0;
  let running = 0;

  /** Removes and returns the first request of the network whose turn it is. */
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

  /** Refuses the newest request of the longest queue, in the lowest priority that has requests. */
  function rejectNewest(): void {
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
      if (waitingCount > maxWaiting) rejectNewest();
    });
  }

  /** Passes the slot to the next request in the queue. */
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
