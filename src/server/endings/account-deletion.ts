// Deletes an account. One commit deletes it with its sessions and the mails that wait for it. Each class removes the member and
// its visible content later (see remove-departed.ts).
import { randomInt } from 'node:crypto';
import type { AccountRemoval, Server } from '#server/feature.ts';
import type { Commits } from '#server/store/commit-queue.ts';
import { deleteAccountRow } from '#server/accounts/account-records.ts';
import { administratorName } from '#server/chat/staff/audit-log.ts';
import { endRoles } from '#server/chat/staff/roles.ts';
import { listAllRoles, listProposedRoles, listRoles } from '#server/chat/staff/stored-roles.ts';
import { deriveVoter } from '#server/chat/votes/votes.ts';
import { listAskerQuestions } from '#server/chat/private-questions/private-questions.ts';
import { deleteFactor, getFactor } from '#server/features/second-factor/stored-factors.ts';
import { listClassesWithPersona } from '#server/chat/members/member.ts';
import { listMailsTo } from '#server/mail/insert-mail.ts';
import { deleteOutgoingMails } from '#server/mail/outgoing-mails-queries.ts';
import {
  changePendingRemovals,
  listPendingRemovals,
  type PendingRemoval,
} from '#server/chat/members/pending-removals.ts';

type UsedServer = Pick<Server, 'db' | 'site' | 'commits' | 'sessionRecords' | 'memberships'>;

const defaultWindowMs = 24 * 60 * 60_000; // PROFILE-30

interface AccountToDelete extends AccountRemoval {
  accountId: string;
  email: string;
}

/**
 * @param accountCommits of the queue of accounts
 * @param currentSessionId the last session to end; null if the account has no session
 */
export async function deleteAccount(
  server: UsedServer,
  accountCommits: Commits,
  account: AccountToDelete,
  currentSessionId: string | null,
): Promise<void> {
  const { accountId } = account;
  if (currentSessionId !== null) {
    await accountCommits.write(
      (unitOfWork) =>
        server.sessionRecords.end(unitOfWork, accountId, { except: currentSessionId }),
      { accountId },
    );
  }
  for (;;) {
    await endAllRoles(server, account);
    const removals = await planRemovals(server, account);
    // The list lacks mails that are queued later. They expire within a day, and no digest is sent to a deleted account.
    const mailIds = await listMailsTo(server.db, server.site.keys.mails, account.email);
    if (await commitDeletion(server, accountCommits, account, removals, mailIds)) return;
  }
}

/** Ends the roles and the second factor in a commit of their own, because no transaction writes both an account and what is stored of a class. */
async function endAllRoles(
  server: UsedServer,
  { accountId, isDue }: AccountToDelete,
): Promise<void> {
  const allRoles = [...(await listAllRoles(server)), ...(await listProposedRoles(server))];
  const hasFactor = (await getFactor(server, accountId)).passkeys.length > 0;
  if (!hasFactor && !allRoles.some((role) => role.accountId === accountId)) return;
  await server.commits.write(
    async (unitOfWork) => {
      if (isDue && !(await isDue(unitOfWork))) return;
      await endRoles(unitOfWork, (held) => held.accountId === accountId);
      await deleteFactor(unitOfWork, accountId);
    },
    { accountId },
  );
}

/** Plans removals at random times for each class that the account is in or has appeared in. */
async function planRemovals(
  server: UsedServer,
  { accountId, keepMessages, removalWindowMs = defaultWindowMs }: AccountToDelete,
): Promise<PendingRemoval[]> {
  const enrolledClassIds = new Set((await server.memberships.list(server.db, accountId)).keys());
  const pendingRemovals = await listPendingRemovals(server);
  const leftClassIds = new Set(
    pendingRemovals.filter(({ leaverId }) => leaverId === accountId).map(({ classId }) => classId),
  );
  const removals: PendingRemoval[] = [];
  for await (const membership of listClassesWithPersona(server, accountId)) {
    const { classId, salt } = membership.class;
    const isEnrolled = enrolledClassIds.has(classId);
    // A member may post for the first time before the commit, and staff may release a question of someone who has just left.
    const mayHaveAppeared = membership.persona !== null || leftClassIds.has(classId);
    if (isEnrolled || (mayHaveAppeared && !keepMessages)) {
      removals.push({
        classId,
        memberId: keepMessages ? null : membership.memberId,
        isCounted: isEnrolled,
        ...(isEnrolled && { deletedId: accountId }),
        dueAt: Date.now() + randomInt(removalWindowMs),
      });
    }
    const voter = deriveVoter(server, { classId, classSalt: salt }, accountId);
    // Those of a class that was left are still there.
    const privateQuestions = await listAskerQuestions(server, { classId, voter });
    // At separate times: numbers of votes that fall when a persona disappears would tell for what it voted.
    const otherRows = [
      ...(isEnrolled ? [{ voter }] : []),
      ...(isEnrolled && keepMessages ? [{ asker: membership.memberId }] : []),
      ...privateQuestions.map(({ id }) => ({ privateQuestion: id })),
    ];
    for (const ids of otherRows) {
      const dueAt = Date.now() + randomInt(removalWindowMs);
      removals.push({ classId, memberId: null, isCounted: false, own: ids, dueAt });
    }
  }
  return removals;
}

/**
 * While the commit runs, the account cannot join, leave or sign in, because those commits have the same `accountId` as scope.
 *
 * @returns true if the account is deleted, or if its deletion is no longer due; false if the account has joined or left a class
 *   since the plans were made, or got a role, so that the caller must plan again
 */
async function commitDeletion(
  { memberships, sessionRecords }: UsedServer,
  accountCommits: Commits,
  { accountId, isDue, onDeleted }: AccountToDelete,
  removals: readonly PendingRemoval[],
  mailIds: readonly string[],
): Promise<boolean> {
  const countedRemovals = removals.filter(({ isCounted }) => isCounted);
  return accountCommits.write(
    async (unitOfWork, staffName = administratorName) => {
      const { db, addEffect } = unitOfWork;
      if (isDue && !(await isDue(unitOfWork))) return true;
      const classIds = await memberships.list(db, accountId);
      const isPlanCurrent =
        classIds.size === countedRemovals.length &&
        (await listRoles(unitOfWork, accountId)).length === 0 &&
        (await getFactor(unitOfWork, accountId)).passkeys.length === 0 &&
        countedRemovals.every(({ classId }) => classIds.has(classId));
      if (!isPlanCurrent) return false;
      if (removals.length > 0) {
        await changePendingRemovals(unitOfWork, (pending) => [...pending, ...removals]);
      }
      await sessionRecords.end(unitOfWork, accountId, 'all');
      await deleteAccountRow(db, accountId);
      await deleteOutgoingMails(db, mailIds);
      await onDeleted?.(unitOfWork, staffName);
      for (const { classId } of countedRemovals) {
        addEffect({ kind: 'departure', accountId, classId });
      }
      // The email address is erased.
      unitOfWork.contentErased();
      return true;
    },
    { accountId },
  );
}
