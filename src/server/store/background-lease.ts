// The lease on background work: of several nodes, one sends mails and digests, collects pictures, removes what is due,
// applies decisions and shuffles account rows. The work stays safe if two nodes do it for a moment.
import { AppError } from '#contract/errors.ts';
import type { Log } from '#server/base/log.ts';
import type { Database, DatabaseTransaction } from './tables.ts';
import { endLease, lockLease, takeLease } from './leases-queries.ts';

export interface BackgroundLease {
  isHeld(): boolean;
  /**
   * For work that must not be done twice: no other node takes the lease before the transaction ends.
   *
   * @throws {AppError} UNAVAILABLE if this node does not hold it
   */
  confirm(tx: DatabaseTransaction): Promise<void>;
  /** Gives the lease back. Call it when all background work has stopped. */
  stop(): Promise<void>;
}

/** The lease of a server that has its database to itself. */
export const soleServer: BackgroundLease = {
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
/** This node stops earlier than the database lets others begin. */
const marginMs = 2_000;
const notHeld = { monotonic: -Infinity, date: -Infinity };

export interface NodeLease extends BackgroundLease {
  /**
   * Tries to take the lease once before it resolves, then at each interval. Call it when nothing of the start can fail any
   * more: a node that starts in vain again and again must not keep the work from the others.
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
   * Counted from before the request, by two clocks: the monotonic one stands still while the machine is suspended, and the
   * other one can be set back.
   */
  let heldUntil = notHeld;
  let isFailing = false;
  let renewing: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;

  async function renew(): Promise<void> {
    const heldMs = ttlMs - Math.min(marginMs, ttlMs / 4);
    const until = { monotonic: performance.now() + heldMs, date: Date.now() + heldMs };
    try {
      const isTaken = await takeLease(db, name, nodeId, ttlMs);
      heldUntil = isTaken ? until : notHeld;
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn('lease.failed', { error });
      isFailing = true;
    }
  }

  const isHeld = () => performance.now() < heldUntil.monotonic && Date.now() < heldUntil.date;

  return {
    isHeld,
    async start() {
      await renew();
      timer = setInterval(() => {
        renewing ??= renew().finally(() => {
          renewing = null;
        });
      }, renewMs);
    },
    async confirm(tx) {
      if (!(await lockLease(tx, name, nodeId))) throw new AppError('UNAVAILABLE');
    },
    async stop() {
      if (timer) clearInterval(timer);
      await renewing;
      if (isHeld()) await endLease(db, name, nodeId).catch(() => {});
      heldUntil = notHeld;
    },
  };
}
