// The end of an account. It is gone in one commit, together with its sessions and enrolments; what others
// can see of it goes class by class, later (see remove-departed.ts).
import { randomInt, type KeyObject } from 'node:crypto';
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import { deleteAccountRow } from '../storage/queries/accounts.ts';
import { listEnrolments } from '../storage/queries/enrolments.ts';
import { deleteSessions } from '../storage/queries/sessions.ts';
import { listAuthoredContent } from './authored-content.ts';
import {
  readPendingRemovals,
  savePendingRemovals,
  type PendingRemoval,
} from './pending-removals.ts';

export interface DeletionParts {
  db: Database;
  commits: CommitQueue;
  personaKey: KeyObject;
  onSessionEnded(accountId: string, sessionId: string): void;
}

const removalWindowMs = 24 * 60 * 60_000; // PROFILE-29

/** @param keepMessages they stay under the personas, to which nothing leads any more */
export async function deleteAccount(
  parts: DeletionParts,
  accountId: string,
  asking: { sessionId: string },
  keepMessages: boolean,
): Promise<void> {
  const { commits, onSessionEnded } = parts;
  const others = await commits.write(({ db }) => {
    return deleteSessions(db, accountId, { but: asking.sessionId });
  });
  for (const sessionId of others) onSessionEnded(accountId, sessionId);
  for (;;) {
    const removals = await planRemovals(parts, accountId, keepMessages);
    if (await endAccount(parts, accountId, removals)) return;
  }
}

/** One for each class that the account is in, or that it appeared in, at a random time of its own. */
async function planRemovals(
  { db, personaKey }: DeletionParts,
  accountId: string,
  keepMessages: boolean,
): Promise<PendingRemoval[]> {
  const enrolments = await listEnrolments(db, accountId);
  const enrolledIn = new Set(enrolments.map(({ classId }) => classId));
  const removals: PendingRemoval[] = [];
  for await (const found of listAuthoredContent(db, personaKey, accountId)) {
    const { classId } = found.class;
    const isCounted = enrolledIn.has(classId);
    // A member may speak for the first time until the account ends, so each class of theirs is in the plan.
    if (!isCounted && (keepMessages || !found.persona)) continue;
    removals.push({
      classId,
      memberId: keepMessages ? null : found.memberId,
      isCounted,
      dueAt: Date.now() + randomInt(removalWindowMs),
    });
  }
  return removals;
}

/** @returns false where the account has joined or left a class since the plan was made */
async function endAccount(
  { commits, personaKey, onSessionEnded }: DeletionParts,
  accountId: string,
  removals: readonly PendingRemoval[],
): Promise<boolean> {
  const planned = removals.flatMap(({ classId, isCounted }) => (isCounted ? [classId] : []));
  const ended = await commits.write(async (write) => {
    const { db } = write;
    const now = new Set((await listEnrolments(db, accountId)).map(({ classId }) => classId));
    if (now.size !== planned.length || !planned.every((classId) => now.has(classId))) return null;
    if (removals.length > 0) {
      const pending = await readPendingRemovals(db, personaKey);
      await savePendingRemovals(db, personaKey, [...pending, ...removals]);
    }
    const sessions = await deleteSessions(db, accountId, 'all');
    await deleteAccountRow(db, accountId);
    // Of the e-mail.
    write.erases();
    return sessions;
  });
  for (const sessionId of ended ?? []) onSessionEnded(accountId, sessionId);
  return ended !== null;
}
