// Applies decisions when moderators can no longer undo them, also the decisions that a stopped server left.
import type { Log } from '#server/base/log.ts';
import type { BackgroundLease } from '#server/store/background-lease.ts';

export interface DecisionRunner {
  /** Call it when the server has started, and after a new decision, here or on another node. */
  schedule(): void;
  /** Resolves when no decision is being applied. Waiting decisions stay for the next start. */
  stop(): Promise<void>;
}

/** A decision that waits to take effect. */
export interface PendingDecision {
  /** When the decision takes effect. Null: it is due immediately. */
  effectiveAt: number | null;
  /** Does nothing if the decision was undone. */
  apply(): Promise<void>;
}

interface Dependencies {
  /** Lists pending decisions in any order. */
  listPending(): Promise<PendingDecision[]>;
  lease: Pick<BackgroundLease, 'isHeld'>;
  log: Log;
}

const retryMs = 2_000;
/** How often a node without the lease asks whether it has it now. */
const leasePollMs = 1_000;
/**
 * The runner reads the list at least this often, because a node of an earlier version stores no change event for its decisions,
 * and because clocks jump.
 */
const maxWaitMs = 60_000;

export function createDecisionRunner({ listPending, lease, log }: Dependencies): DecisionRunner {
  let timer: NodeJS.Timeout | null = null;
  let currentRun: Promise<void> | null = null;
  let isStopped = false;

  function scheduleRun(delayMs: number): void {
    if (isStopped) return;
    if (timer) clearTimeout(timer);
    timer = setTimeout(start, Math.min(delayMs, maxWaitMs));
  }

  function start(): void {
    if (isStopped) return;
    timer = null;
    currentRun ??= run().finally(() => {
      currentRun = null;
    });
  }

  /** Applies what is due, then waits for the next decision. */
  async function run(): Promise<void> {
    if (!lease.isHeld()) return scheduleRun(leasePollMs);
    try {
      let hasFailed = false;
      const getDueTime = ({ effectiveAt }: PendingDecision) => effectiveAt ?? 0;
      const pending = await listPending();
      for (const decision of pending.toSorted((a, b) => getDueTime(a) - getDueTime(b))) {
        if (isStopped) return;
        const delayMs = getDueTime(decision) - Date.now();
        if (delayMs > 0) return scheduleRun(hasFailed ? Math.min(delayMs, retryMs) : delayMs);
        hasFailed = !(await applyOne(decision)) || hasFailed;
      }
      scheduleRun(hasFailed ? retryMs : maxWaitMs);
    } catch (error) {
      log.warn('decision.failed', { error });
      scheduleRun(retryMs);
    }
  }

  /** Does not throw, because a decision that fails must not delay the others. @returns false if the runner must try again */
  async function applyOne(decision: PendingDecision): Promise<boolean> {
    try {
      await decision.apply();
      return true;
    } catch (error) {
      log.warn('decision.failed', { error });
      return false;
    }
  }

  return {
    // A run that has already read the list would miss the new decision.
    schedule: () => void (currentRun ?? Promise.resolve()).then(start),
    async stop() {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await currentRun;
    },
  };
}
