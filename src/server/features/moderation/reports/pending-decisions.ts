// The decisions that wait to take effect, and how each is applied.
import type { KeyObject } from 'node:crypto';
import type { AccountRecords } from '#server/accounts/account-records.ts';
import type { PendingDecision } from './decision-runner.ts';
import { applyDecision } from './decisions.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import { applyReview } from '#server/features/moderation/sanctions/reviews.ts';
import { findPersonaAccountId, type SuspendedAccountKeys } from '#server/chat/staff/suspensions.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import type { CaseRow } from '#server/chat/messages/evidence-queries.ts';
import { listPendingCases } from './cases-queries.ts';
import {
  listPendingReviews,
  type ReviewRow,
} from '#server/features/moderation/sanctions/reviews-queries.ts';

interface Dependencies {
  db: Database;
  commits: CommitQueue;
  personaKey: KeyObject;
  suspendedAccountKeys: SuspendedAccountKeys;
  accountRecords: Pick<AccountRecords, 'findById'>;
}

/** Lists pending decisions about cases, escalations and appeals. */
export async function listPendingDecisions(dependencies: Dependencies): Promise<PendingDecision[]> {
  const cases = await listPendingCases(dependencies.db);
  const reviews = await listPendingReviews(dependencies.db);
  return [
    ...cases.map((caseRow) => ({
      effectiveAt: caseRow.effectiveAt,
      apply: () => applyToCase(dependencies, caseRow),
    })),
    ...reviews.map((review) => ({
      effectiveAt: review.effectiveAt,
      apply: () => applyToReview(dependencies, review),
    })),
  ];
}

async function applyToCase(
  dependencies: Dependencies,
  { caseId, classId }: CaseRow,
): Promise<void> {
  const { commits, personaKey } = dependencies;
  await commits.write(
    (unitOfWork) => applyDecision(unitOfWork, caseId, deriveModerationKeys(personaKey)),
    { classId },
  );
}

/** Has the scope 'everything', because a change of an address encrypts all suspensions again, also this one. */
async function applyToReview(dependencies: Dependencies, review: ReviewRow): Promise<void> {
  const { db, commits, personaKey, suspendedAccountKeys: keys, accountRecords } = dependencies;
  const { reviewId, kind } = review;
  // The search compares all accounts, so it runs before the commit. The commit then checks the account that was found.
  const suspendedAccountId =
    kind === 'escalation' ? await findPersonaAccountId(db, personaKey, review) : null;
  await commits.write(async (unitOfWork) => {
    const suspension = { personaKey, keys, accountRecords };
    await applyReview(unitOfWork, reviewId, suspension, suspendedAccountId);
  }, 'everything');
}
