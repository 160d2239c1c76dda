// Applies decisions when moderators can no longer undo them, also those that a stopped server left.
import { sql } from 'kysely';
import type { Log } from '#server/base/log.ts';
import {
  findPersonaAccountId,
  type SuspensionDependencies,
} from '#server/chat/staff/suspensions.ts';
import type { BackgroundLease } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import { applyDecision } from './decisions.ts';

interface Dependencies extends SuspensionDependencies {
  db: Database;
  commits: CommitQueue;
  lease: Pick<BackgroundLease, 'isHeld'>;
  log: Log;
}

export async function applyDueDecisions(dependencies: Dependencies): Promise<void> {
  const { db, lease, log } = dependencies;
  if (!lease.isHeld()) return;
  const logFailure = (error: unknown) => log.warn('decision.failed', { error });
  const dueDecisions = await listDueDecisions(db).catch(logFailure);
  for (const decision of dueDecisions ?? []) {
    if (!lease.isHeld()) return;
    // A decision that fails must not delay the others.
    await applyDueDecision(dependencies, decision).catch(logFailure);
  }
}

type DueDecision = Awaited<ReturnType<typeof listDueDecisions>>[number];

/** Lists decisions on cases, and on their escalations and appeals, the earliest first. */
async function listDueDecisions(db: Database) {
  const now = Date.now();
  return db
    .selectFrom('cases')
    .select(['caseId', 'classId', 'memberId', 'effectiveAt'])
    .select([sql<string | null>`cast(null as text)`.as('reviewId'), sql<string>`'case'`.as('kind')])
    .where('status', '=', 'pending')
    .where('effectiveAt', '<=', now)
    .unionAll(
      db
        .selectFrom('reviews')
        .select(['caseId', 'classId', 'memberId', 'effectiveAt', 'reviewId', 'kind'])
        .where('status', '=', 'pending')
        .where('effectiveAt', '<=', now),
    )
    .orderBy('effectiveAt')
    .execute();
}

async function applyDueDecision(dependencies: Dependencies, decision: DueDecision): Promise<void> {
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
