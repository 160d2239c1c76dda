// Every memberId is derived from the server key, so a new key changes all of them or unlinks their accounts.
import type { KeyObject } from 'node:crypto';
import { replaceMentionIds } from '#contract/mentions.ts';
import { computeId, computeMemberId } from '#server/chat/members/member-ids.ts';
import { listMembers, rekeyMembers } from '#server/chat/members/memberships.ts';
import { createRandomId } from '#server/base/random-id.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import { listAccountIds, listAddresses } from '#server/accounts/accounts-queries.ts';
import { listAllClasses, listSpans } from '#server/chat/messages/authored-content-queries.ts';
import { clearAllEvidence } from '#server/features/moderation/reports/cases-queries.ts';
import { changeSalt, deleteAllMembers } from '#server/chat/classes/classes-queries.ts';
import {
  changeMemberIds,
  clearDigests,
  listMemberIds,
  type MemberIdChange,
} from './member-ids-queries.ts';
import { listTexts, replaceText } from '#server/chat/messages/messages-queries.ts';
import {
  deleteAllPreferences,
  findPreferences,
  listPreferenceOwners,
} from '#server/chat/members/preferences-queries.ts';
import { deleteAllReadMarks } from '#server/chat/members/read-marks-queries.ts';
import { rekeyVotes } from '#server/chat/messages/questions.ts';
import { deleteAllVotes } from '#server/chat/messages/questions-queries.ts';
import { deleteAllWaitingQuestions } from '#server/chat/messages/waiting-questions-queries.ts';
import { releaseEvidenceImages } from '#server/chat/messages/attachment-queries.ts';
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
import { resealEvidence } from '#server/features/moderation/reports/kept-evidence.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import { resealReviews } from '#server/features/moderation/sanctions/reviews.ts';
import { resealSuspensions, type SuspendedAccountKeys } from '#server/chat/staff/suspensions.ts';
import {
  deriveReporter,
  sealReport,
  unsealReport,
} from '#server/features/moderation/reports/reports.ts';
import { clearSettings, rekeySettings } from '#server/features/notifications/settings.ts';
import { computeStaffId } from '#server/chat/members/staff-ids.ts';
import {
  dropPendingRemovals,
  rekeyPendingRemovals,
} from '#server/chat/members/pending-removals.ts';
import {
  deleteJournal,
  getJournal,
  type PendingPreferences,
  type PreferenceKeys,
} from '#server/chat/members/preference-journal.ts';
import { unsealPreferences, writePreferences } from '#server/chat/members/preferences.ts';

interface Keys {
  notifications: { settings: KeyObject };
  personas: KeyObject;
  suspensions: SuspendedAccountKeys;
  preferences: PreferenceKeys;
  questionVotes: KeyObject;
}

/**
 * Gives every account the memberIds of the new key and moves its content to them. The old key then derives no
 * memberId of this database.
 */
export async function rekeyPersonas(
  db: DatabaseTransaction,
  {
    personas: oldKey,
    preferences: oldPreferenceKeys,
    suspensions: oldSuspensionKeys,
    notifications: oldNotificationKeys,
    questionVotes: oldVoteKey,
  }: Keys,
  {
    personas: newKey,
    preferences: newPreferenceKeys,
    suspensions: newSuspensionKeys,
    notifications: newNotificationKeys,
    questionVotes: newVoteKey,
  }: Keys,
): Promise<void> {
  const accountIds = await listAccountIds(db);
  const newIds = new Map<string, string>();
  const toNewId: ToNewId = (classId, memberId) => newIds.get(`${classId} ${memberId}`) ?? memberId;
  for (const change of (await getJournal(db, oldPreferenceKeys)).pending.values()) {
    await writePreferences(db, oldPreferenceKeys, change);
  }
  await deleteJournal(db);
  for await (const { classId, salt, seq } of listAllClasses(db)) {
    const memberIds = await listMemberIds(db, classId);
    const changes: MemberIdChange[] = [];
    // All accounts are included, because a member who has left and rejoins gets the persona back.
    for (const accountId of accountIds) {
      // The changes are sorted by the new ids later, because an order by account would link the two personas.
      for (const derive of [computeMemberId, computeStaffId]) {
        const oldId = derive(oldKey, salt, accountId);
        if (memberIds.has(oldId)) changes.push({ oldId, newId: derive(newKey, salt, accountId) });
      }
    }
    for (const { oldId, newId } of changes) newIds.set(`${classId} ${oldId}`, newId);
    await changeMemberIds(db, classId, changes);
    await replaceMentionedIds(db, classId, seq, changes);
    await clearDigests(db, classId);
    const rekeyedClass = { classId, salt, accountIds };
    await rekeyReports(db, rekeyedClass, { oldKey, newKey }, toNewId);
    const preferenceKeys = { oldKeys: oldPreferenceKeys, newKeys: newPreferenceKeys };
    await rekeyPreferences(db, rekeyedClass, preferenceKeys, toNewId);
    const members = await listMembers(db, oldKey, classId);
    await rekeyVotes(
      db,
      { classId, salt, accountIds: members.keys() },
      { oldKey: oldVoteKey, newKey: newVoteKey },
    );
    await rekeyMembers(db, newKey, classId, members);
  }
  const evidenceKeys = {
    previous: deriveModerationKeys(oldKey).evidence,
    next: deriveModerationKeys(newKey).evidence,
  };
  await resealEvidence(db, evidenceKeys, toNewId);
  await resealReviews(db, evidenceKeys);
  await resealSuspensions(db, await listAddresses(db), {
    oldKeys: oldSuspensionKeys,
    newKeys: newSuspensionKeys,
  });
  await clearDeciders(db);
  await renameInAuditLog(db, newKey, toNewId);
  await expireAllUnmaskings(db);
  await deleteAllReadMarks(db);
  await deleteAllWaitingQuestions(db);
  await rekeySettings(db, oldNotificationKeys.settings, newNotificationKeys.settings);
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

/** Seals the preferences with the new key, and drops the rows of accounts that no longer exist. */
async function rekeyPreferences(
  db: DatabaseTransaction,
  { classId, salt, accountIds }: RekeyedClass,
  { oldKeys, newKeys }: { oldKeys: PreferenceKeys; newKeys: PreferenceKeys },
  toNewId: ToNewId,
): Promise<void> {
  const storedOwners = new Set(await listPreferenceOwners(db, classId));
  if (storedOwners.size === 0) return;
  const rekeyedRows: PendingPreferences[] = [];
  for (const accountId of accountIds) {
    const oldOwner = { classId, id: computeId(oldKeys.ids, salt, accountId) };
    if (!storedOwners.has(oldOwner.id)) continue;
    const sealed = await findPreferences(db, { classId, owner: oldOwner.id });
    if (sealed === null) continue;
    const preferences = unsealPreferences(oldKeys, oldOwner, sealed);
    const ignored = preferences.ignored.map((memberId) => toNewId(classId, memberId));
    const owner = { classId, id: computeId(newKeys.ids, salt, accountId) };
    rekeyedRows.push({ owner, preferences: { ...preferences, ignored } });
  }
  await deleteAllPreferences(db, classId);
  // The rows are not written in the order of the accounts.
  for (const row of rekeyedRows.toSorted((a, b) => (a.owner.id < b.owner.id ? -1 : 1))) {
    await writePreferences(db, newKeys, row);
  }
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
      if (newText !== text) await replaceText(db, { classId, seq }, newText);
    }
  }
}

/**
 * Removes the link of every persona to its account, so that not even the old key can restore it. Only the lost key could unseal
 * pending removals, evidence and reports, so they are dropped, and content that was to be removed stays. Sanctions and
 * suspensions end, because only the lost key could find their accounts.
 */
export async function unlinkPersonas(db: DatabaseTransaction, newKey: KeyObject): Promise<void> {
  await clearSettings(db);
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
  await expireAllUnmaskings(db);
  await deleteAllReadMarks(db);
  await deleteAllWaitingQuestions(db);
  await deleteAllPreferences(db);
  await deleteAllVotes(db);
  await deleteJournal(db);
  await dropPendingRemovals(db);
  await renameInAuditLog(db, newKey, (_, memberId) => memberId);
  await deleteAllMembers(db);
}
