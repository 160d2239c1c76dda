// The decisions that wait to take effect, and how each is applied.
import type { KeyObject } from 'node:crypto';
import type { PendingDecision } from './decision-runner.ts';
import { applyDecision } from './domain/moderation/decisions.ts';
import { moderationKeysOf } from './domain/moderation/keys.ts';
import { applyReview } from './domain/moderation/reviews.ts';
import { currentSanction } from './domain/moderation/sanctions.ts';
import type { SuspendedAccounts } from './domain/moderation/suspended-accounts.ts';
import { findHolder, type HolderKeys } from './domain/moderation/suspensions.ts';
import type { Hub } from './socket/hub.ts';
import type { CommitQueue } from './storage/commit-queue.ts';
import type { Database } from './storage/database.ts';
import { listPendingCases, type CaseRow } from './storage/queries/cases.ts';
import { appendRevocation } from './storage/queries/revocations.ts';
import { listPendingReviews, type ReviewRow } from './storage/queries/reviews.ts';

interface Parts {
  db: Database;
  commits: CommitQueue;
  personaKey: KeyObject;
  holderKeys: HolderKeys;
  suspendedAccounts: SuspendedAccounts;
  hub: Hub;
  /** Whether other nodes use the database. */
  isShared: boolean;
  notifyModerators(classId: string): Promise<void>;
}

/** Of cases, and of escalations and appeals. */
export async function listPendingDecisions(parts: Parts): Promise<PendingDecision[]> {
  const cases = await listPendingCases(parts.db);
  const reviews = await listPendingReviews(parts.db);
  return [
    ...cases.map((one) => ({
      effectiveAt: one.effectiveAt,
      apply: () => applyToCase(parts, one),
    })),
    ...reviews.map((one) => ({
      effectiveAt: one.effectiveAt,
      apply: () => applyToReview(parts, one),
    })),
  ];
}

async function applyToCase(parts: Parts, { caseId }: CaseRow): Promise<void> {
  const { db, commits, personaKey, hub, isShared, notifyModerators } = parts;
  const applied = await commits.write(async (unitOfWork) => {
    const decided = await applyDecision(unitOfWork, caseId, moderationKeysOf(personaKey));
    // Redis may lose the notice to the node at which a removed member reads.
    if (isShared && decided?.sanctionKind === 'removed') {
      await appendRevocation(unitOfWork.db, 'staff-changed', decided.classId);
    }
    return decided;
  });
  if (!applied) return;
  const { classId, memberId, sanctionKind } = applied;
  const sanction = sanctionKind && (await currentSanction(db, classId, memberId));
  if (sanction) hub.notifySanction(classId, memberId, sanction);
  await notifyModerators(classId);
}

async function applyToReview(parts: Parts, review: ReviewRow): Promise<void> {
  const { db, commits, personaKey, holderKeys, suspendedAccounts, hub, notifyModerators } = parts;
  const { reviewId, decision } = review;
  const suspends = decision === 'suspend';
  const holder = suspends ? await findHolder(db, personaKey, holderKeys, review) : null;
  try {
    const applied = await commits.write((unitOfWork) =>
      applyReview(unitOfWork, reviewId, holderKeys, holder),
    );
    if (!applied) return;
  } finally {
    // The outcome of a failed commit may be unknown.
    await suspendedAccounts.load();
  }
  hub.endSessions(suspendedAccounts.isSuspendedId);
  const { classId, memberId, subjectKind } = review;
  if (decision === 'lift' && subjectKind !== 'suspension') {
    hub.notifySanction(classId, memberId, await currentSanction(db, classId, memberId));
  }
  await notifyModerators(classId);
}
