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
import type { Reader } from '#server/store/site.ts';
import type { CaseRow } from '#server/chat/messages/evidence-queries.ts';
import { findReview, isReviewForOperators, type ReviewRow } from './reviews-queries.ts';
import { getCase, getCurrentCase } from '#server/features/moderation/reports/case-access.ts';
import type { ModerationServer } from '#server/features/moderation/reports/routes.ts';
import type { Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';

/** What a person sees of the own sanctions. A suspended account can use the calls about sanctions. */
export function registerOwnSanctionRoutes(
  route: Route,
  server: Pick<Server, 'db' | 'site' | 'limiter' | 'memberships' | 'suspendedAccounts'>,
): void {
  const { limiter, suspendedAccounts } = server;

  // All browsers ask at the same rate: the size alone would tell that there is a decision.
  route('listOwnDecisions', async ({ account }) => ({
    decisions: await listOwnDecisions(server, account.id),
  }));

  route('listOwnSanctions', async ({ account }) => ({
    sanctions: await listOwnSanctions(server, suspendedAccounts, account),
  }));

  route('appeal', async ({ commits, account, params, body }) => {
    const { sanctionId } = params;
    const { text } = body;
    limiter.take('appeals', account.id, 1, 'TOO_MANY_APPEALS');
    await commits.write(
      (unitOfWork) => appeal(unitOfWork, suspendedAccounts, account, { sanctionId, text }),
      { accountId: account.id },
    );
    return { appealed: true };
  });
}

/** Decisions on escalations and appeals. */
export function reviewRoutes(route: Route, server: ModerationServer): void {
  const { db, site } = server;

  const getReviewScope = async (reviewId: string): Promise<Scope> => {
    return { classId: (await findReview(db, reviewId))?.classId ?? reviewId };
  };

  route('decideReview', async ({ commits, account, params, body }) => {
    const { reviewId } = params;
    const foundCase = await commits.write(
      async (unitOfWork) => {
        const required = await getReview(unitOfWork, account, reviewId);
        const { review, staffName } = required;
        await checkNotOwnDecision(unitOfWork, account, staffName, review);
        const decider = toDecider(site, reviewId, account.id, staffName);
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
        const required = await getReview(unitOfWork, account, reviewId);
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
      await liftSuspension(unitOfWork, site.keys.suspensions, { suspensionId, staffName, reason });
    }, 'everything');
    return {};
  });
}

/** @throws {AppError} NOT_ALLOWED, NOT_FOUND */
async function getReview(
  reader: Reader,
  account: Account,
  reviewId: string,
): Promise<{ review: ReviewRow; foundCase: CaseRow; staffName: string }> {
  const review = await findReview(reader.db, reviewId);
  // A role is checked first, so that others learn nothing of the id.
  const { foundCase } = await getCase(reader, account, review?.caseId ?? '', 'sanction');
  if (!review) throw new AppError('NOT_FOUND');
  const right = isReviewForOperators(review) ? 'suspend' : 'sanction';
  const staffName = await checkRight(reader, account, review.classId, right);
  return { review, foundCase, staffName };
}
