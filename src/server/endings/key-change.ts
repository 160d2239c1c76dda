// Every memberId is derived from the server key, so a new key changes all of them or unlinks their accounts.
import type { KeyObject } from 'node:crypto';
import { replaceMentionIds } from '#contract/mentions.ts';
import {
  computeMemberId,
  computeCaseAskerId,
  getCaseAskerNonce,
  hasCaseAskerPrefix,
  isCaseAskerId,
} from '#server/chat/members/member-ids.ts';
import { createRandomId } from '#server/base/random-id.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import type { AccountRecord } from '#server/accounts/account-records.ts';
import { listAllClasses, listSpans } from '#server/chat/messages/authored-content-queries.ts';
import { clearAllEvidence } from '#server/features/moderation/reports/cases-queries.ts';
import { changeSalt, deleteAllMembers } from '#server/chat/classes/classes-queries.ts';
import {
  changeMemberIds,
  clearDigests,
  listMemberIds,
  type MemberIdChange,
} from './member-ids-queries.ts';
import { listTexts, updateMessage } from '#server/chat/messages/messages-queries.ts';
import { rekeyVotes } from '#server/chat/votes/votes.ts';
import { deleteAllVotes } from '#server/chat/votes/votes-queries.ts';
import { deletePresenterLinks } from '#server/chat/classes/presenter-links-queries.ts';
import { deletePrivateQuestions } from '#server/chat/private-questions/private-questions-queries.ts';
import { deleteAllWaitingQuestions } from '#server/chat/questions/waiting-questions-queries.ts';
import { releaseEvidenceImages } from '#server/chat/attachments/attachment-queries.ts';
import { expireAllUnmaskings } from '#server/features/moderation/unmasking/unmaskings-queries.ts';
import {
  clearDeciders,
  clearReviewTexts,
} from '#server/features/moderation/sanctions/reviews-queries.ts';
import { deleteAllSuspensions } from '#server/chat/staff/suspensions-queries.ts';
import {
  deleteAllReports,
  listClassReports,
  replaceReports,
} from '#server/features/moderation/reports/reports-queries.ts';
import { renameInAuditLog } from '#server/chat/staff/audit-log.ts';
import { rekeyOutsideReports } from '#server/features/moderation/outside/outside-reports.ts';
import { resealEvidence } from '#server/features/moderation/reports/kept-evidence.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import { resealReviews } from '#server/features/moderation/sanctions/reviews.ts';
import { resealSuspensions, type SuspendedAccountKeys } from '#server/chat/staff/suspensions.ts';
import {
  deriveReporter,
  sealReport,
  unsealReport,
} from '#server/features/moderation/reports/reports.ts';
import { computeStaffId } from '#server/chat/members/staff-ids.ts';
import {
  dropPendingRemovals,
  rekeyPendingRemovals,
} from '#server/chat/members/pending-removals.ts';
import { getRegisters, rekeyRegisters } from '#server/store/registers.ts';

interface Keys {
  personas: KeyObject;
  suspensions: SuspendedAccountKeys;
  questionVotes: KeyObject;
}

/**
 * Gives every account the memberIds of the new key and moves its content to them. The old key then derives no
 * memberId of this database.
 */
export async function rekeyPersonas(
  db: DatabaseTransaction,
  accounts: readonly AccountRecord[],
  { personas: oldKey, suspensions: oldSuspensionKeys, questionVotes: oldVoteKey }: Keys,
  { personas: newKey, suspensions: newSuspensionKeys, questionVotes: newVoteKey }: Keys,
): Promise<void> {
  const accountIds = accounts.map(({ id }) => id);
  const newIds = new Map<string, string>();
  const toNewId: ToNewId = (classId, memberId) => newIds.get(`${classId} ${memberId}`) ?? memberId;
  await rekeyRegisters(db, getRegisters(oldKey), getRegisters(newKey));
  for await (const { classId, salt, seq } of listAllClasses(db)) {
    const memberIds = await listMemberIds(db, classId);
    const caseAskerIds = [...memberIds].filter(hasCaseAskerPrefix);
    const changes: MemberIdChange[] = [];
    // All accounts are included, because a member who has left and rejoins gets the persona back.
    for (const accountId of accountIds) {
      // The changes are sorted by the new ids later, because an order by account would link the personas.
      for (const derive of [computeMemberId, computeStaffId]) {
        const oldId = derive(oldKey, salt, accountId);
        if (memberIds.has(oldId)) changes.push({ oldId, newId: derive(newKey, salt, accountId) });
      }
      for (const oldId of caseAskerIds) {
        if (!isCaseAskerId(oldVoteKey, salt, accountId, oldId)) continue;
        const newId = computeCaseAskerId(newVoteKey, salt, accountId, getCaseAskerNonce(oldId));
        changes.push({ oldId, newId });
      }
    }
    for (const { oldId, newId } of changes) newIds.set(`${classId} ${oldId}`, newId);
    await changeMemberIds(db, classId, changes);
    await replaceMentionedIds(db, classId, seq, changes);
    await clearDigests(db, classId);
    const rekeyedClass = { classId, salt, accountIds };
    await rekeyReports(db, rekeyedClass, { oldKey, newKey }, toNewId);
    await renameIgnored(db, newKey, classId, toNewId);
    const members = await getRegisters(newKey).read(db, 'members', classId);
    await rekeyVotes(
      db,
      { classId, salt, accountIds: members.keys() },
      { oldKey: oldVoteKey, newKey: newVoteKey },
    );
  }
  const evidenceKeys = {
    previous: deriveModerationKeys(oldKey).evidence,
    next: deriveModerationKeys(newKey).evidence,
  };
  await resealEvidence(db, evidenceKeys, toNewId);
  await resealReviews(db, evidenceKeys);
  await rekeyOutsideReports(db, oldKey, newKey);
  await resealSuspensions(db, accounts, {
    oldKeys: oldSuspensionKeys,
    newKeys: newSuspensionKeys,
  });
  await clearDeciders(db);
  await renameInAuditLog(db, newKey, toNewId);
  await expireAllUnmaskings(db);
  await deleteAllWaitingQuestions(db);
  await deletePrivateQuestions(db, {});
  await deletePresenterLinks(db, null);
  await rekeyPendingRemovals(db, oldKey, newKey);
}

interface RekeyedClass {
  classId: string;
  salt: string;
  accountIds: readonly string[];
}

type ToNewId = (classId: string, memberId: string) => string;

async function rekeyReports(
  db: DatabaseTransaction,
  { classId, salt, accountIds }: RekeyedClass,
  { oldKey, newKey }: { oldKey: KeyObject; newKey: KeyObject },
  toNewId: ToNewId,
): Promise<void> {
  const rows = await listClassReports(db, classId);
  if (rows.length === 0) return;
  const oldKeys = deriveModerationKeys(oldKey);
  const newKeys = deriveModerationKeys(newKey);
  const reporters = new Map(
    accountIds.map((accountId) => [
      deriveReporter(oldKeys, salt, accountId),
      deriveReporter(newKeys, salt, accountId),
    ]),
  );
  const rekeyedRows = rows.map((row) => ({
    ...row,
    reporter: reporters.get(row.reporter) ?? row.reporter,
    target: toNewId(classId, row.target),
    text: sealReport(newKeys, row.caseId, unsealReport(oldKeys, row)),
  }));
  await replaceReports(db, classId, rekeyedRows);
}

/** Replaces the memberIds of ignored members. */
async function renameIgnored(
  db: DatabaseTransaction,
  newKey: KeyObject,
  classId: string,
  toNewId: ToNewId,
): Promise<void> {
  const registers = getRegisters(newKey);
  const stored = await registers.read(db, 'preferences', classId);
  if (stored.size === 0) return;
  await registers.change(db, 'preferences', classId, (entries) => {
    for (const [accountId, preferences] of stored) {
      const ignored = preferences.ignored.map((memberId) => toNewId(classId, memberId));
      entries.set(accountId, { ...preferences, ignored });
    }
    return true;
  });
}

/** Replaces the memberIds in all texts, also in deleted classes, because a deleted class can be restored. */
async function replaceMentionedIds(
  db: DatabaseTransaction,
  classId: string,
  head: number,
  changes: readonly MemberIdChange[],
): Promise<void> {
  const newIds = new Map(changes.map(({ oldId, newId }) => [oldId, newId]));
  for await (const { from, to } of listSpans(head)) {
    for (const { seq, text } of await listTexts(db, classId, from + 1, to)) {
      const newText = replaceMentionIds(text, (memberId) => newIds.get(memberId) ?? memberId);
      if (newText !== text) await updateMessage(db, { classId, seq }, { text: newText });
    }
  }
}

/**
 * Deletes all accounts, which only the lost key could open, and removes the link of every persona to its account, so that not
 * even the old key can restore it. Only the lost key could unseal pending removals, evidence and reports, so they are dropped,
 * and content that was to be removed stays. Sanctions and suspensions end, because only the lost key could find their accounts.
 */
export async function unlinkPersonas(db: DatabaseTransaction, newKey: KeyObject): Promise<void> {
  await db.deleteFrom('accounts').execute();
  for await (const { classId } of listAllClasses(db)) {
    await changeSalt(db, classId, createRandomId());
    await clearDigests(db, classId);
  }
  await clearAllEvidence(db);
  await clearReviewTexts(db);
  await clearDeciders(db);
  await deleteAllSuspensions(db);
  await releaseEvidenceImages(db, 'all');
  await deleteAllReports(db);
  await db.deleteFrom('outsideReports').execute();
  await expireAllUnmaskings(db);
  await deleteAllWaitingQuestions(db);
  await deletePrivateQuestions(db, {});
  await deletePresenterLinks(db, null);
  await deleteAllVotes(db);
  await dropPendingRemovals(db);
  await renameInAuditLog(db, newKey, (_, memberId) => memberId);
  await deleteAllMembers(db);
}
