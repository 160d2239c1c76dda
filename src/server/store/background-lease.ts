// The lease on background work. Of several nodes, only the holder of the lease sends mails and digests, deletes unused pictures
// and expired rows, applies decisions and shuffles account rows. The work stays safe if two nodes do it for a moment.
import { AppError } from '#contract/errors.ts';
import type { Log } from '#server/base/log.ts';
import type { Database, DatabaseTransaction } from './tables.ts';
import { endLease, lockLease, takeLease } from './leases-queries.ts';

export interface BackgroundLease {
  isHeld(): boolean;
  /**
   * Protects work that must not be done twice. No other node takes the lease before the transaction ends.
   *
   * @throws {AppError} UNAVAILABLE if this node does not hold the lease
   */
  confirm(tx: DatabaseTransaction): Promise<void>;
  /** Gives the lease back. Call it when all background work has stopped. */
  stop(): Promise<void>;
}

/**
 * Tells long work to stop between two commits: when its server stops, and whenever the server does not hold the lease. It is not
 * an `AbortSignal`, because a lease ends by two clocks, without an event, and its server can take it again.
 */
export interface StopSign {
  readonly aborted: boolean;
}

export function createStopSign(
  lease: Pick<BackgroundLease, 'isHeld'>,
  stopping: AbortSignal,
): StopSign {
  return {
    get aborted() {
      return stopping.aborted || !lease.isHeld();
    },
  };
}

/** The lease of a server that has its database to itself. */
export const alwaysHeldLease: BackgroundLease = {
  isHeld: () => true,
  async confirm() {},
  async stop() {},
};

export interface LeaseTimes {
  ttlMs: number;
  renewMs: number;
}

const name = 'background';
const defaultTimes = { ttlMs: 15_000, renewMs: 4_000 }; // NODE-2
/** The time between the end of work on this node and the earliest start on another node. */
const marginMs = 2_000;
const neverHeld = { monotonic: -Infinity, date: -Infinity };

export interface NodeLease extends BackgroundLease {
  /**
   * Tries to take the lease, then resolves, and tries again at each interval. Call it as the last step of the start: a node that
   * keeps failing to start must not keep the work from other nodes.
   */
  start(): Promise<void>;
}

export function createBackgroundLease(
  db: Database,
  nodeId: string,
  log: Log,
  { ttlMs, renewMs }: LeaseTimes = defaultTimes,
): NodeLease {
  /**
   * The end of the lease, counted from before the request, on two clocks: the monotonic clock stands still while the machine is
   * suspended, and the clock of the date can be set back.
   */
  let leaseEnd = neverHeld;
  let isFailing = false;
  let currentRenewal: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;

  async function renew(): Promise<void> {
    const heldMs = ttlMs - Math.min(marginMs, ttlMs / 4);
    const newLeaseEnd = { monotonic: performance.now() + heldMs, date: Date.now() + heldMs };
    try {
      const isTaken = await takeLease(db, name, nodeId, ttlMs);
      leaseEnd = isTaken ? newLeaseEnd : neverHeld;
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn('lease.failed', { error });
      isFailing = true;
    }
  }

  const isHeld = () => performance.now() < leaseEnd.monotonic && Date.now() < leaseEnd.date;

  return {
    isHeld,
    async start() {
      await renew();
      timer = setInterval(() => {
        currentRenewal ??= renew().finally(() => {
          currentRenewal = null;
        });
      }, renewMs);
    },
    async confirm(tx) {
      if (!(await lockLease(tx, name, nodeId))) throw new AppError('UNAVAILABLE');
    },
    async stop() {
      if (timer) clearInterval(timer);
      await currentRenewal;
      if (isHeld()) await endLease(db, name, nodeId).catch(() => {});
      leaseEnd = neverHeld;
    },
  };
}
