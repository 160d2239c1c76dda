// What moderators decided about the reports, the messages, the personas and the appeals of one account, so that its browsers can
// say what is new. Except for removed messages, it says no more than the lists of own reports and own sanctions. A suspended
// account reads of its suspension elsewhere.
import { toClassLabel } from '#contract/class-label.ts';
import type { OwnDecision } from '#contract/moderation.ts';
import { compareText } from '#contract/text-order.ts';
import { listAccountClasses } from '#server/chat/classes/classes.ts';
import { computeId, computeMemberId, isCaseAskerId } from '#server/chat/members/member-ids.ts';
import { isActive } from '#server/chat/members/sanctions.ts';
import { listMemberSanctions } from '#server/chat/members/sanctions-queries.ts';
import { computeStaffId } from '#server/chat/members/staff-ids.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import type { Server } from '#server/feature.ts';
import {
  listPrivateAskers,
  listRemovedMessages,
} from '#server/features/moderation/reports/cases-queries.ts';
import { deriveReporter, toOutcome } from '#server/features/moderation/reports/reports.ts';
import { listReportedCases } from '#server/features/moderation/reports/reports-queries.ts';
import { listDecidedReviews } from './reviews-queries.ts';

/** Lists the decisions in the classes of the account that have taken effect, by class. */
export async function listOwnDecisions(
  { db, site, memberships }: Pick<Server, 'db' | 'site' | 'memberships'>,
  accountId: string,
): Promise<OwnDecision[]> {
  const personaKey = site.keys.personas;
  const keys = deriveModerationKeys(personaKey);
  const classes = await listAccountClasses(db, memberships, accountId);
  const classIds = classes.map(({ classId }) => classId);
  const labels = new Map(classes.map((row) => [row.classId, toClassLabel(row)]));
  const decisions: OwnDecision[] = [];
  const add = (
    classId: string,
    subject: string,
    kind: OwnDecision['kind'],
    reason: string | null = null,
  ) => {
    // No id of a case or review: reporters of one case must not find each other by it.
    const decisionId = computeId(keys.reporters, `decision ${kind} ${subject}`, accountId);
    decisions.push({ decisionId, classId, label: labels.get(classId) ?? '', kind, reason });
  };

  const reporters = classes.map(({ salt }) => deriveReporter(keys, salt, accountId));
  for (const reportedCase of await listReportedCases(db, classIds, reporters)) {
    const outcome = toOutcome(reportedCase);
    if (outcome !== 'open') add(reportedCase.classId, reportedCase.caseId, `report-${outcome}`);
  }
  const salts = new Map(classes.map(({ classId, salt }) => [classId, salt]));
  const caseAskers = (await listPrivateAskers(db, classIds)).filter(({ classId, memberId }) =>
    isCaseAskerId(site.keys.questionVotes, salts.get(classId) ?? '', accountId, memberId),
  );
  const memberIds = [
    ...classes.flatMap(({ salt }) =>
      [computeMemberId, computeStaffId].map((compute) => compute(personaKey, salt, accountId)),
    ),
    ...caseAskers.map(({ memberId }) => memberId),
  ];
  for (const { classId, caseId, reason } of await listRemovedMessages(db, classIds, memberIds)) {
    add(classId, caseId, 'message-removed', reason);
  }
  const sanctions = await listMemberSanctions(db, classIds, memberIds);
  for (const { classId, sanctionId } of sanctions.filter(isActive)) {
    add(classId, sanctionId, 'sanctioned');
  }
  const sanctionIds = sanctions.map(({ sanctionId }) => sanctionId);
  for (const { classId, reviewId, decision } of await listDecidedReviews(db, sanctionIds)) {
    add(classId, reviewId, decision === 'lift' ? 'appeal-lifted' : 'appeal-kept');
  }
  // Within a class the order is random, because it must not tell when what was decided.
  return decisions.toSorted(
    (a, b) => compareText(a.label, b.label) || (a.decisionId < b.decisionId ? -1 : 1),
  );
}
