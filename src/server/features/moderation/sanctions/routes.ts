// The calls of moderators who decide escalations and appeals, and of the person concerned, who appeals.
import { AppError } from '#contract/errors.ts';
import type { Account } from '#server/http/caller.ts';
import { decide, undoDecision } from '#server/features/moderation/reports/decisions.ts';
import { parseReason } from '#server/features/moderation/reports/reasons.ts';
import { listOwnDecisions } from './own-decisions.ts';
import { appeal, listOwnSanctions } from './own-sanctions.ts';
import { liftSuspension } from './reviews.ts';
import { toDecider } from '#server/features/moderation/reports/decider.ts';
import { checkNotOwnDecision } from '#server/features/moderation/reports/self-decision.ts';
import { checkRight } from '#server/chat/staff/rights.ts';
import type { Scope } from '#server/store/commit-locks.ts';
import type { Database } from '#server/store/tables.ts';
import type { CaseRow } from '#server/chat/messages/evidence-queries.ts';
import { findReview, isReviewForOperators, type ReviewRow } from './reviews-queries.ts';
import { getCase, getCurrentCase } from '#server/features/moderation/reports/case-access.ts';
import type { ModerationServer } from '#server/features/moderation/reports/routes.ts';
import type { Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';

/** What a person sees of the own sanctions. A suspended account can use the calls about sanctions. */
export function registerOwnSanctionRoutes(
  route: Route,
  server: Pick<Server, 'db' | 'keys' | 'limiter' | 'memberships' | 'suspendedAccounts'>,
): void {
  const { db, limiter, suspendedAccounts } = server;
  const sanctionParts = { personaKey: server.keys.personas, suspendedAccounts };

  // All browsers ask at the same rate: the size alone would tell that there is a decision.
  route('listOwnDecisions', async ({ account }) => ({
    decisions: await listOwnDecisions(server, account.id),
  }));

  route('listOwnSanctions', async ({ account }) => ({
    sanctions: await listOwnSanctions(db, sanctionParts, account),
  }));

  route('appeal', async ({ commits, account, params, body }) => {
    const { sanctionId } = params;
    const { text } = body;
    limiter.take('appeals', account.id, 1, 'TOO_MANY_APPEALS');
    await commits.write(
      async (unitOfWork) => {
        await appeal(unitOfWork, sanctionParts, account, { sanctionId, text });
      },
      { accountId: account.id },
    );
    return { appealed: true };
  });
}

/** Decisions on escalations and appeals. */
export function reviewRoutes(route: Route, server: ModerationServer): void {
  const { db, keys } = server;

  const getReviewScope = async (reviewId: string): Promise<Scope> => {
    return { classId: (await findReview(db, reviewId))?.classId ?? reviewId };
  };

  route('decideReview', async ({ commits, account, params, body }) => {
    const { reviewId } = params;
    const foundCase = await commits.write(
      async (unitOfWork) => {
        const required = await getReview(unitOfWork.db, server, account, reviewId);
        const { review, staffName } = required;
        await checkNotOwnDecision(unitOfWork.db, server, account, staffName, review);
        const decider = toDecider(keys.personas, reviewId, account.id, staffName);
        await decide(unitOfWork, { ...required, body }, decider);
        return required.foundCase;
      },
      await getReviewScope(reviewId),
    );
    return { case: await getCurrentCase(server, account, foundCase) };
  });

  route('undoReview', async ({ commits, account, params: { reviewId } }) => {
    const foundCase = await commits.write(
      async (unitOfWork) => {
        const required = await getReview(unitOfWork.db, server, account, reviewId);
        await undoDecision(unitOfWork, required);
        return required.foundCase;
      },
      await getReviewScope(reviewId),
    );
    return { case: await getCurrentCase(server, account, foundCase) };
  });

  route('liftSuspension', async ({ commits, params, body }) => {
    const { suspensionId } = params;
    await commits.write(async (unitOfWork, staffName) => {
      const reason = parseReason(body.reason);
      await liftSuspension(unitOfWork, keys.suspensions, { suspensionId, staffName, reason });
    }, 'everything');
    return {};
  });
}

/** @throws {AppError} NOT_ALLOWED, NOT_FOUND */
async function getReview(
  db: Database,
  { keys, roles }: Pick<Server, 'keys' | 'roles'>,
  account: Account,
  reviewId: string,
): Promise<{ review: ReviewRow; foundCase: CaseRow; staffName: string }> {
  const review = await findReview(db, reviewId);
  // A role is checked first, so that others learn nothing of the id.
  const { foundCase } = await getCase(
    { db, keys, roles },
    account,
    review?.caseId ?? '',
    'sanction',
  );
  if (!review) throw new AppError('NOT_FOUND');
  const right = isReviewForOperators(review) ? 'suspend' : 'sanction';
  const staffName = await checkRight(db, roles, account, review.classId, right);
  return { review, foundCase, staffName };
}
