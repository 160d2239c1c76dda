// The calls of moderators who decide escalations and appeals, and of the person concerned, who appeals.
import { AppError } from '#contract/errors.ts';
import type { Account } from '../accounts/accounts.ts';
import { checkNotSelf } from '../domain/membership.ts';
import { checkedReason } from '../domain/moderation/reasons.ts';
import { appeal, listOwnSanctions } from '../domain/moderation/own-sanctions.ts';
import {
  decideReview,
  liftSuspension,
  readAppealed,
  undoReview,
} from '../domain/moderation/reviews.ts';
import type { SuspendedAccounts } from '../domain/moderation/suspended-accounts.ts';
import { requireRight } from '../domain/rights.ts';
import type { CaseRow } from '../storage/queries/cases.ts';
import { findReview, type ReviewRow } from '../storage/queries/reviews.ts';
import { findSuspension } from '../storage/queries/suspensions.ts';
import { readCaseFor, requireCase, type ModerationParts } from './moderation.ts';
import type { Route } from './route.ts';

interface Parts extends ModerationParts {
  suspendedAccounts: SuspendedAccounts;
  /** Notifies operators that a case changed. */
  notifyOperators(): Promise<void>;
}

/** What a person sees of the own sanctions. Suspended accounts can use these calls. */
export function ownSanctionRoutes(route: Route, parts: Parts): void {
  const { db, commits, limiter, notifyModerators, notifyOperators } = parts;

  route('listOwnSanctions', 'signedIn', async ({ account }) => ({
    sanctions: await listOwnSanctions(db, parts, account),
  }));

  route('appeal', 'signedIn', async ({ account, params: { sanctionId }, body: { text } }) => {
    limiter.take('appeals', account.id, 1, 'TOO_MANY_APPEALS');
    const appealed = await commits.write((unitOfWork) =>
      appeal(unitOfWork, parts, account, { sanctionId, text }),
    );
    if (appealed.kind === 'suspension') await notifyOperators();
    else await notifyModerators(appealed.classId);
    return { appealed: true };
  });
}

/** Decisions on escalations and appeals. */
export function reviewRoutes(route: Route, parts: Parts): void {
  const { db, commits, personaKey, roles, suspensionKeys, suspendedAccounts } = parts;
  const { scheduleDecisions, notifyModerators } = parts;

  route('decideReview', 'signedIn', async ({ account, params: { reviewId }, body }) => {
    const { review, found, staffName } = await requireReview(parts, account, reviewId);
    await checkNotOwnDecision(parts, review, staffName);
    await checkNotSelf(db, personaKey, account.id, review);
    await commits.write((unitOfWork) => decideReview(unitOfWork, reviewId, body, staffName));
    scheduleDecisions();
    await notifyModerators(found.classId);
    return { case: await readCaseFor(parts, account, found) };
  });

  route('undoReview', 'signedIn', async ({ account, params: { reviewId } }) => {
    const { review, found } = await requireReview(parts, account, reviewId);
    await checkNotSelf(db, personaKey, account.id, review);
    await commits.write((unitOfWork) => undoReview(unitOfWork, reviewId));
    await notifyModerators(found.classId);
    return { case: await readCaseFor(parts, account, found) };
  });

  route('liftSuspension', 'signedIn', async ({ account, params: { suspensionId }, body }) => {
    const staffName = await requireRight(db, roles, account, null, 'suspend');
    const reason = checkedReason(body.reason);
    const row = await findSuspension(db, { suspensionId });
    const order = { suspensionId, staffName, reason };
    try {
      await commits.write((unitOfWork) => liftSuspension(unitOfWork, suspensionKeys, order));
    } finally {
      await suspendedAccounts.load();
    }
    if (row) await notifyModerators(row.classId);
    return {};
  });
}

/** @throws {AppError} NOT_ALLOWED, NOT_FOUND */
async function requireReview(
  parts: Parts,
  account: Account,
  reviewId: string,
): Promise<{ review: ReviewRow; found: CaseRow; staffName: string }> {
  const review = await findReview(parts.db, reviewId);
  const isForOperators = review?.kind === 'escalation' || review?.subjectKind === 'suspension';
  const right = isForOperators ? 'suspend' : 'sanction';
  // A role is checked first, so that others learn nothing of the id.
  const { found } = await requireCase(parts, account, review?.caseId ?? '', 'sanction');
  if (!review) throw new AppError('NOT_FOUND');
  const staffName = await requireRight(parts.db, parts.roles, account, review.classId, right);
  return { review, found, staffName };
}

/** @throws {AppError} OWN_DECISION if the moderator decided what the appeal is about, and someone else can decide it */
async function checkNotOwnDecision(
  { db, roles, suspensionKeys }: Parts,
  review: ReviewRow,
  staffName: string,
): Promise<void> {
  const appealed = await readAppealed(db, suspensionKeys, review);
  if (appealed?.staffName !== staffName) return;
  const classId = review.subjectKind === 'suspension' ? null : review.classId;
  const others = await roles.staffNames(db, classId);
  others.delete(staffName);
  if (others.size > 0) throw new AppError('OWN_DECISION');
}
