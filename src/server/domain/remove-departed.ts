// Removes deleted accounts from their classes, each class at its own time: the member count, and the
// messages, reactions and persona unless they are kept. An interrupted removal runs again.
import { randomInt, type KeyObject } from 'node:crypto';
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import {
  deletePersona,
  inChunks,
  listMessagesOf,
  listReactionsOf,
  readHeadOf,
  spansOf,
} from '../storage/queries/authored-content.ts';
import { deleteMentionsOf } from '../storage/queries/mentions.ts';
import { deleteAppealsOf } from '../storage/queries/reviews.ts';
import { deleteSanctionsOf } from '../storage/queries/sanctions.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { countMember } from './membership.ts';
import { removeMessage, removeReaction } from './messages.ts';
import {
  readPendingRemovals,
  savePendingRemovals,
  type PendingRemoval,
} from './pending-removals.ts';

interface Parts {
  db: Database;
  commits: CommitQueue;
  personaKey: KeyObject;
}

const overdueWindowMs = 2 * 60 * 60_000; // PROFILE-30
/** Changes per commit: small, so that other writes do not wait long. */
const changesPerCommit = 20;

/**
 * @param stopping stops between two commits; an interrupted removal starts again on the next run
 * @throws the first failure, after all other removals have run
 */
export async function removeDue(parts: Parts, stopping: AbortSignal): Promise<void> {
  const failures: unknown[] = [];
  for (const removal of await readPendingRemovals(parts.db, parts.personaKey)) {
    if (stopping.aborted) return;
    if (removal.dueAt > Date.now()) continue;
    await remove(parts, removal, stopping).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/** At startup: spreads overdue removals, which would otherwise leave all classes at the same time. */
export async function spreadOverdue({ db, commits, personaKey }: Parts): Promise<void> {
  const isOverdue = ({ dueAt }: PendingRemoval) => dueAt <= Date.now();
  const overdue = (await readPendingRemovals(db, personaKey)).filter(isOverdue);
  if (overdue.length < 2) return;
  await commits.write(async (unitOfWork) => {
    const pending = await readPendingRemovals(unitOfWork.db, personaKey);
    const spread = pending.map((removal) => {
      const dueAt = Date.now() + randomInt(overdueWindowMs);
      return isOverdue(removal) ? { ...removal, dueAt } : removal;
    });
    await savePendingRemovals(unitOfWork.db, personaKey, spread);
  });
}

async function remove(
  { db, commits, personaKey }: Parts,
  removal: PendingRemoval,
  stopping: AbortSignal,
): Promise<void> {
  const { classId, memberId, isCounted } = removal;
  if (memberId !== null) {
    for await (const changes of changesFor(db, classId, memberId)) {
      if (stopping.aborted) return;
      await commits.write(async (unitOfWork) => {
        for (const change of changes) await change(unitOfWork);
      });
    }
  }
  await commits.write(async (unitOfWork) => {
    const pending = await readPendingRemovals(unitOfWork.db, personaKey);
    const others = pending.filter((one) => !isSame(one, removal));
    if (others.length === pending.length) return;
    await savePendingRemovals(unitOfWork.db, personaKey, others);
    if (isCounted) await countMember(unitOfWork, classId, -1);
    if (memberId === null) return;
    await deleteMentionsOf(unitOfWork.db, classId, memberId);
    await deleteAppealsOf(unitOfWork.db, classId, memberId);
    await deleteSanctionsOf(unitOfWork.db, classId, memberId);
    await deletePersona(unitOfWork.db, classId, memberId);
    unitOfWork.contentErased();
  });
}

function isSame(one: PendingRemoval, other: PendingRemoval): boolean {
  const { classId, memberId, dueAt } = other;
  return one.classId === classId && one.memberId === memberId && one.dueAt === dueAt;
}

/** The changes that remove the member's messages and reactions, in chunks. */
async function* changesFor(
  db: Database,
  classId: string,
  memberId: string,
): AsyncGenerator<((unitOfWork: UnitOfWork) => Promise<void>)[]> {
  for await (const { from, to } of spansOf(await readHeadOf(db, classId))) {
    const messages = await listMessagesOf(db, classId, memberId, from, to);
    const reactions = await listReactionsOf(db, classId, memberId, from, to);
    const changes = [
      ...messages.map((message) => (unitOfWork: UnitOfWork) => removeMessage(unitOfWork, message)),
      ...reactions.map(
        (reaction) => (unitOfWork: UnitOfWork) => removeReaction(unitOfWork, reaction, memberId),
      ),
    ];
    yield* inChunks(changes, changesPerCommit);
  }
}
