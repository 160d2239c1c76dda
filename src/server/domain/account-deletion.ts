// Deletes an account. One commit deletes the account with its sessions and enrolments. Its visible content is
// removed from each class later (see remove-departed.ts).
import { randomInt, type KeyObject } from 'node:crypto';
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import { deleteAccountRow } from '../storage/queries/accounts.ts';
import { listEnrolments } from '../storage/queries/enrolments.ts';
import { deleteSessions } from '../storage/queries/sessions.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { everyClassWithPersona } from './membership.ts';
import type { PreferenceStore } from './preferences.ts';
import type { ReadMarks } from './read-marks.ts';
import {
  readPendingRemovals,
  savePendingRemovals,
  type PendingRemoval,
} from './pending-removals.ts';

export interface DeletionParts {
  db: Database;
  commits: CommitQueue;
  personaKey: KeyObject;
  readMarks: Pick<ReadMarks, 'delete'>;
  preferences: Pick<PreferenceStore, 'delete'>;
  onSessionEnded(accountId: string, sessionId: string): void;
}

const defaultWindowMs = 24 * 60 * 60_000; // PROFILE-30

export interface DeletedAccount {
  accountId: string;
  /** Keeps the messages and personas, without any link to the account. */
  keepMessages: boolean;
  /** If false in the commit of the deletion, the account stays. */
  isDue?(db: Database): Promise<boolean>;
  /** The removals from the classes are spread over this time. */
  removalWindowMs?: number;
  /** Called in the commit of the deletion. If it fails, the account stays. */
  onDeleted?(unitOfWork: UnitOfWork): Promise<void>;
}

/** @param currentSessionId the last session to end; null if the account has no session */
export async function deleteAccount(
  parts: DeletionParts,
  account: DeletedAccount,
  currentSessionId: string | null,
): Promise<void> {
  const { commits, onSessionEnded } = parts;
  const { accountId } = account;
  const others =
    currentSessionId === null
      ? []
      : await commits.write(({ db }) =>
          deleteSessions(db, accountId, { except: currentSessionId }),
        );
  for (const sessionId of others) onSessionEnded(accountId, sessionId);
  for (;;) {
    const removals = await planRemovals(parts, account);
    const outcome = await endAccount(parts, account, removals);
    if (outcome === 'kept') return;
    if (outcome === 'changed') continue;
    for (const { classId, isCounted } of removals) {
      if (!isCounted) continue;
      await parts.readMarks.delete(classId, accountId);
      await parts.preferences.delete(classId, accountId);
    }
    return;
  }
}

/** One removal at a random time for each class that the account is in or has appeared in. */
async function planRemovals(
  { db, personaKey }: DeletionParts,
  { accountId, keepMessages, removalWindowMs = defaultWindowMs }: DeletedAccount,
): Promise<PendingRemoval[]> {
  const enrolledIn = new Set(await listEnrolments(db, accountId));
  const removals: PendingRemoval[] = [];
  for await (const found of everyClassWithPersona(db, personaKey, accountId)) {
    const { classId } = found.class;
    const isCounted = enrolledIn.has(classId);
    // A member may post for the first time before the commit, so each enrolled class gets a removal.
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

/** @returns 'changed' if the account has joined or left a class since the plan was made */
async function endAccount(
  { commits, personaKey, onSessionEnded }: DeletionParts,
  { accountId, isDue, onDeleted }: DeletedAccount,
  removals: readonly PendingRemoval[],
): Promise<'deleted' | 'kept' | 'changed'> {
  const planned = removals.flatMap(({ classId, isCounted }) => (isCounted ? [classId] : []));
  const ended = await commits.write(async (unitOfWork) => {
    const { db } = unitOfWork;
    if (isDue && !(await isDue(db))) return 'kept';
    const current = new Set(await listEnrolments(db, accountId));
    if (current.size !== planned.length || !planned.every((classId) => current.has(classId)))
      return 'changed';
    if (removals.length > 0) {
      const pending = await readPendingRemovals(db, personaKey);
      await savePendingRemovals(db, personaKey, [...pending, ...removals]);
    }
    const sessions = await deleteSessions(db, accountId, 'all');
    await deleteAccountRow(db, accountId);
    await onDeleted?.(unitOfWork);
    // The e-mail address is erased.
    unitOfWork.contentErased();
    return sessions;
  });
  if (typeof ended === 'string') return ended;
  for (const sessionId of ended) onSessionEnded(accountId, sessionId);
  return 'deleted';
}
