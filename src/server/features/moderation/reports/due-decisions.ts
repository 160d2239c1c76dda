// Applies decisions when moderators can no longer undo them, also those that a stopped server left.
import { findPersonaAccountId } from '#server/chat/staff/suspensions.ts';
import type { Server } from '#server/feature.ts';
import type { Database } from '#server/store/tables.ts';
import { applyDecision } from './decisions.ts';

type DecisionServer = Pick<Server, 'db' | 'site' | 'commits' | 'accountRecords' | 'lease' | 'log'>;

export async function applyDueDecisions(server: DecisionServer): Promise<void> {
  const { db, lease, log } = server;
  if (!lease.isHeld()) return;
  const logFailure = (error: unknown) => log.warn('decision.failed', { error });
  const dueDecisions = await listDueDecisions(db).catch(logFailure);
  for (const decision of dueDecisions ?? []) {
    if (!lease.isHeld()) return;
    // A decision that fails must not delay the others.
    await applyDueDecision(server, decision).catch(logFailure);
  }
}

type DueDecision = Awaited<ReturnType<typeof listDueDecisions>>[number];

/** Lists decisions on cases, and on their escalations and appeals, the earliest first. */
async function listDueDecisions(db: Database) {
  const now = Date.now();
  return db
    .selectFrom('cases')
    .select(['caseId', 'classId', 'memberId', 'effectiveAt'])
    .select(({ cast, val }) => [
      cast<string | null>(val(null), 'text').as('reviewId'),
      cast<string>(val('case'), 'text').as('kind'),
    ])
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

async function applyDueDecision(server: DecisionServer, decision: DueDecision): Promise<void> {
  const { site, commits, accountRecords } = server;
  const { toMailboxKey } = accountRecords;
  const suspension = {
    accountRecords,
    keys: { ...site.keys.suspensions, toMailboxKey },
  };
  // The search compares all accounts, so it runs before the commit. The commit then checks the account that was found.
  const suspendedAccountId =
    decision.kind === 'escalation' ? await findPersonaAccountId(server, decision) : null;
  await commits.write(
    (unitOfWork) => applyDecision(unitOfWork, decision, suspension, suspendedAccountId),
    // A change of an address encrypts all suspensions again, also the one that a review adds or lifts.
    decision.reviewId === null ? { classId: decision.classId } : 'everything',
  );
}
