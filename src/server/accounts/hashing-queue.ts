// Limits concurrent password hashing, because one hash takes 20 MB and a CPU core. Networks take fair turns.
import { AppError } from '#contract/errors.ts';
import { retryTime } from '../retry-time.ts';

/** Who asks for a hash. Networks of one priority take turns, however many requests each sends. */
export interface Requester {
  network: string;
  /** `high`: a browser that the account knows. `low`: a network with many failed sign-ins. */
  priority: 'high' | 'normal' | 'low';
}

export interface HashingQueue {
  /**
   * Runs `job` when a slot is free. Pass the whole call, not only the hashing: a refused call must have no
   * side effects, such as using up a mailed link.
   *
   * @throws {AppError} TOO_MANY if the queue is full or the wait exceeds the timeout
   */
  run<Result>(requester: Requester, job: () => Promise<Result>): Promise<Result>;
}

/** A client that has waited longer has most likely given up. */
const timeoutMs = 30_000;
/** The duration of one hash on a slow machine. */
const hashMs = 50;

interface QueuedJob {
  queuedAt: number;
  start(): void;
  refuse(): void;
}

/** The queues of one priority, by network. The first network in the map has the next turn. */
type Lane = Map<string, QueuedJob[]>;

/**
 * @param concurrency the maximum number of concurrent hashes
 * @param now a monotonic clock in milliseconds
 */
export function createHashingQueue(
  concurrency: number,
  now: () => number = () => performance.now(),
): HashingQueue {
  const maxQueued = (concurrency * timeoutMs) / hashMs;
  const laneOf: Record<Requester['priority'], Lane> = {
    high: new Map(),
    normal: new Map(),
    low: new Map(),
  };
  const lanes = [laneOf.high, laneOf.normal, laneOf.low];
  let queued = 0;
  let running = 0;

  /** Removes and returns the first job of the network whose turn it is. */
  function dequeue(): QueuedJob | undefined {
    for (const lane of lanes) {
      for (const [network, jobs] of lane) {
        const first = jobs.shift();
        lane.delete(network);
        if (jobs.length > 0) lane.set(network, jobs);
        if (first) queued -= 1;
        if (first) return first;
      }
    }
    return undefined;
  }

  /** Refuses the newest job of the longest queue, in the lowest priority that has jobs. */
  function refuseNewest(): void {
    const lane = lanes.findLast(({ size }) => size > 0);
    const longest = [...(lane ?? [])].reduce((a, b) => (b[1].length > a[1].length ? b : a));
    const [network, jobs] = longest;
    jobs.pop()?.refuse();
    if (jobs.length === 0) lane?.delete(network);
    queued -= 1;
  }

  function enqueue({ network, priority }: Requester): Promise<void> {
    return new Promise((start, reject) => {
      const refuse = () => reject(new AppError('TOO_MANY', undefined, retryTime(timeoutMs)));
      const lane = laneOf[priority];
      const jobs = lane.get(network) ?? [];
      jobs.push({ queuedAt: now(), start, refuse });
      lane.set(network, jobs);
      queued += 1;
      if (queued > maxQueued) refuseNewest();
    });
  }

  /** Passes the free slot to the next job in the queue. */
  function startNext(): void {
    for (;;) {
      const next = dequeue();
      if (!next) break;
      if (now() - next.queuedAt <= timeoutMs) return next.start();
      next.refuse();
    }
    running -= 1;
  }

  return {
    async run(requester, job) {
      if (running >= concurrency) await enqueue(requester);
      else running += 1;
      try {
        return await job();
      } finally {
        startNext();
      }
    },
  };
}
