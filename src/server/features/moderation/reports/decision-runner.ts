// Applies decisions when moderators can no longer undo them, also the decisions that a stopped server left.
import { sql } from 'kysely';
import type { Log } from '#server/base/log.ts';
import {
  findPersonaAccountId,
  type SuspensionDependencies,
} from '#server/chat/staff/suspensions.ts';
import { applyDecision } from './decisions.ts';
import type { BackgroundLease } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';

export interface DecisionRunner {
  /** Call it when the server has started, and after a new decision, here or on another node. */
  schedule(): void;
  /** Resolves when no decision is being applied. Waiting decisions stay for the next start. */
  stop(): Promise<void>;
}

interface Dependencies extends SuspensionDependencies {
  db: Database;
  commits: CommitQueue;
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

export function createDecisionRunner(dependencies: Dependencies): DecisionRunner {
  const { db, lease, log } = dependencies;
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
      for (const decision of await listPendingDecisions(db)) {
        if (isStopped) return;
        const delayMs = (decision.effectiveAt ?? 0) - Date.now();
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
      await applyPending(dependencies, decision);
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

type PendingDecision = Awaited<ReturnType<typeof listPendingDecisions>>[number];

/** Lists decisions on cases, and on their escalations and appeals, the earliest first. */
async function listPendingDecisions(db: Database) {
  return db
    .selectFrom('cases')
    .select(['caseId', 'classId', 'memberId', 'effectiveAt'])
    .select([sql<string | null>`cast(null as text)`.as('reviewId'), sql<string>`'case'`.as('kind')])
    .where('status', '=', 'pending')
    .unionAll(
      db
        .selectFrom('reviews')
        .select(['caseId', 'classId', 'memberId', 'effectiveAt', 'reviewId', 'kind'])
        .where('status', '=', 'pending'),
    )
    .orderBy('effectiveAt')
    .execute();
}

async function applyPending(dependencies: Dependencies, decision: PendingDecision): Promise<void> {
  const { db, commits, personaKey } = dependencies;
  // The search compares all accounts, so it runs before the commit. The commit then checks the account that was found.
  const suspendedAccountId =
    decision.kind === 'escalation' ? await findPersonaAccountId(db, personaKey, decision) : null;
  await commits.write(
    (unitOfWork) => applyDecision(unitOfWork, decision, dependencies, suspendedAccountId),
    // A change of an address encrypts all suspensions again, also the one that a review adds or lifts.
    decision.reviewId === null ? { classId: decision.classId } : 'everything',
  );
}
