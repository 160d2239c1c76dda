// Steps that the tests of moderation share: roles by the operator's command, reports and decisions.
import { subscribe } from 'node:diagnostics_channel';
import { expect, vi } from 'vitest';
import type { CallInput, CallReply } from '#contract/http.ts';
import type { Case } from '#contract/moderation.ts';
import { grantRoleByCommand } from './roles.ts';
import type { RunningApp } from './running-app.ts';
import type { TestClient } from './test-client.ts';

type ReportBody = CallInput<'reportMember'>['body'];
type DecisionBody = CallInput<'decideCase'>['body'];

/** @param classId null for an operator */
export async function grantRole(
  app: RunningApp,
  { email }: TestClient,
  classId: string | null,
  staffName: string,
): Promise<void> {
  await grantRoleByCommand(app.database.settings, { email, classId }, staffName);
}

export function report(
  reporter: TestClient,
  classId: string,
  body: Partial<ReportBody>,
): Promise<CallReply<'reportMember'>> {
  return reporter.call('reportMember', { params: { classId }, body: { reason: 'spam', ...body } });
}

export async function listCases(
  moderator: TestClient,
  query: CallInput<'listCases'>['query'] = {},
): Promise<Case[]> {
  return (await moderator.call('listCases', { query })).cases;
}

/** Decides the case of the message or member, as the moderator sees it now. */
export async function decide(
  moderator: TestClient,
  target: string,
  body: Partial<DecisionBody>,
): Promise<Case> {
  const isWanted = (candidate: Case) =>
    (candidate.messageId ?? candidate.persona.memberId) === target;
  const openCase = (await listCases(moderator)).find(isWanted);
  if (!openCase) throw new Error('There is no such open case.');
  const { caseId, version } = openCase;
  const reply = await moderator.call('decideCase', {
    params: { caseId },
    body: { version, decision: 'keep', reason: 'As the rules say', ...body },
  });
  return reply.case;
}

/** Ends the time to undo, and waits until the server has applied the decisions. */
export async function applyDecisions(app: RunningApp): Promise<void> {
  for (const table of ['cases', 'reviews']) {
    await app.database.query(
      `update ${table} set "effectiveAt" = ${Date.now() - 1} where status = 'pending'`,
    );
  }
  // Also for set-up in hooks, where expect.poll() does not work.
  await vi.waitFor(
    async () => {
      const pending = await app.database.query(
        `select "caseId" from cases where status = 'pending'
         union all select "caseId" from reviews where status = 'pending'`,
      );
      expect(pending).toEqual([]);
    },
    { timeout: 20_000 },
  );
  await waitForFollowedCommits();
}

/** The commits of the servers in this process whose callers have no answer yet. */
let unfollowedCommits = 0;
subscribe('backchannel.commit', (message) => {
  const { stage } = message as { stage: string };
  if (stage === 'committed') unfollowedCommits += 1;
  if (stage === 'acknowledged') unfollowedCommits -= 1;
});

/** Resolves when what follows the commits of the servers in this process has run. */
export async function waitForFollowedCommits(): Promise<void> {
  await vi.waitFor(() => expect(unfollowedCommits).toBe(0));
}

type ReviewDecision =
  | { decision: 'suspend'; days: 7 | 30 | 120 | null }
  | { decision: 'dismiss' | 'keep' | 'lift' };

/** Decides the open escalation or appeal of the case. */
export async function decideReview(
  moderator: TestClient,
  { caseId, classId }: Pick<Case, 'caseId' | 'classId'>,
  decision: ReviewDecision,
  reason = 'As the rules say',
): Promise<Case> {
  const state = ['suspend', 'dismiss'].includes(decision.decision) ? 'escalated' : 'appeals';
  const cases = [
    ...(await listCases(moderator, { state, classId })),
    ...(await listCases(moderator, { state })),
  ];
  const review = cases
    .find((candidate) => candidate.caseId === caseId)
    ?.reviews.find((openReview) => openReview.state === 'open');
  if (!review) throw new Error('There is no such open review.');
  const { reviewId, version } = review;
  const body = { version, reason, ...decision };
  return (await moderator.call('decideReview', { params: { reviewId }, body })).case;
}

/** Reports the member's message, escalates it and suspends the account behind it. */
export async function suspend(
  app: RunningApp,
  operator: TestClient,
  messageId: string,
  { days = 7, reason = 'Threats' }: { days?: 7 | 30 | 120 | null; reason?: string } = {},
): Promise<Case> {
  const decidedCase = await decide(operator, messageId, { escalate: true, reason: 'Serious' });
  await applyDecisions(app);
  const suspended = await decideReview(
    operator,
    decidedCase,
    { decision: 'suspend', days },
    reason,
  );
  await applyDecisions(app);
  return suspended;
}
