// Limits concurrent password hashing, because one hash takes 20 MB and a CPU core.
import { FairQueue } from '#server/base/fair-queue.ts';
import type { Network } from '#server/base/client-addresses.ts';

/** Who asks for a hash. Networks take turns, and the accounts of a network take turns, no matter how many requests each sends. */
export interface Requester {
  network: string;
  /** All networks around the address, whose limits count the mails that the call causes. */
  networks?: readonly Network[];
  /** A key of the account or of the mailbox. */
  account: string;
  /** `high`: a browser that the account knows. `low`: a network with many failed sign-ins. */
  priority: keyof typeof shares;
  /** Called before the job starts. @throws {AppError} TOO_MANY */
  checkLimit?(): void;
}

export interface HashingQueue {
  /**
   * Runs `job` when a slot is free. The job is the whole call, not only the hashing, because a rejected call must have no side
   * effects, such as using up a mailed link.
   *
   * @throws {AppError} TOO_MANY if the queue is full or the wait exceeds the timeout
   */
  run<Result>(requester: Requester, job: () => Promise<Result>): Promise<Result>;
}

/** The share of each lane. No lane has absolute priority, so that many requests of known browsers do not keep all others out. */
const shares = { high: 4, normal: 2, low: 1 }; // AUTH-45

const timeoutMs = 30_000;
/** The duration of one hash on a slow machine. */
const hashMs = 50;
const maxWaitingOfMember = 10;

/**
 * @param maxRunning the maximum number of concurrent hashes
 * @param now a monotonic clock in milliseconds
 */
export function createHashingQueue(
  maxRunning: number,
  now = () => performance.now(),
): HashingQueue {
  const maxWaiting = (maxRunning * timeoutMs) / hashMs;
  const queue = new FairQueue({
    shares,
    maxRunning,
    maxWaiting,
    maxWaitingOfMember,
    timeoutMs,
    now,
  });
  return {
    run: ({ network, account, priority, checkLimit }, job) =>
      queue.run({ lane: priority, group: network, member: account }, async () => {
        checkLimit?.();
        return job();
      }),
  };
}
