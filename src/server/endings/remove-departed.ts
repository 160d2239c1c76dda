// Removes deleted accounts from their classes, at a separate time for each class: the member count, the entries in its
// registers, the votes, and the messages, reactions and persona unless they are kept. An interrupted removal runs again.
import { randomInt } from 'node:crypto';
import type { StopSign } from '#server/store/background-lease.ts';
import type { Server } from '#server/feature.ts';
import type { Database } from '#server/store/tables.ts';
import {
  deletePersona,
  splitIntoChunks,
  listAuthoredMessages,
  listAuthoredReactions,
  findHead,
  listSpans,
} from '#server/chat/messages/authored-content-queries.ts';
import { deleteMemberMentions } from '#server/chat/mentions/mentions-queries.ts';
import { listAskerQuestions } from '#server/chat/private-questions/private-questions.ts';
import { deletePrivateQuestions } from '#server/chat/private-questions/private-questions-queries.ts';
import { deleteMemberQuestions } from '#server/chat/questions/waiting-questions-queries.ts';
import { deletePersonaAppeals } from '#server/features/moderation/sanctions/reviews-queries.ts';
import { deleteMemberSanctions } from '#server/chat/members/sanctions-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { countMember, removeMember } from '#server/chat/members/joining.ts';
import { isEnrolled } from '#server/chat/members/memberships.ts';
import { removeMessage, removeReaction } from '#server/chat/messages/messages.ts';
import { delayedGroup, deleteMemberVotes, listMemberVotes } from '#server/chat/votes/votes.ts';
import {
  changePendingRemovals,
  listPendingRemovals,
  type PendingRemoval,
  type StoredRemoval,
} from '#server/chat/members/pending-removals.ts';

type UsedServer = Pick<Server, 'db' | 'site' | 'commits'>;

const overdueWindowMs = 2 * 60 * 60_000; // PROFILE-30
/** A small number of changes per commit, so that other writes do not wait long. */
const changesPerCommit = 20;

/**
 * @param stopping aborts the run between two commits; an interrupted removal starts again in the next run
 * @throws the first failure, after all other removals have run
 */
export async function removeDue(server: UsedServer, stopping: StopSign): Promise<void> {
  const failures: unknown[] = [];
  for (const removal of await listPendingRemovals(server)) {
    if (stopping.aborted) return;
    if (removal.dueAt > Date.now()) continue;
    await runRemoval(server, removal, stopping).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/** Spreads overdue removals at startup. Otherwise they would leave all classes at the same time. */
export async function spreadOverdue(server: UsedServer): Promise<void> {
  const isOverdue = ({ dueAt }: PendingRemoval) => dueAt <= Date.now();
  const overdueRemovals = (await listPendingRemovals(server)).filter(isOverdue);
  if (overdueRemovals.length < 2) return;
  await server.commits.write(async (unitOfWork) => {
    await changePendingRemovals(unitOfWork, (pending) =>
      pending.map((removal) => {
        const dueAt = Date.now() + randomInt(overdueWindowMs);
        return isOverdue(removal) ? { ...removal, dueAt } : removal;
      }),
    );
  }, 'independent');
}

async function runRemoval(
  server: UsedServer,
  removal: StoredRemoval,
  stopping: StopSign,
): Promise<void> {
  const { db, commits } = server;
  const { classId, memberId, isCounted, deletedId } = removal;
  await eraseVotes(server, removal, stopping);
  if (stopping.aborted) return;
  await eraseWaitingQuestions(server, removal);
  if (memberId !== null) {
    for await (const changes of listChanges(db, classId, memberId)) {
      if (stopping.aborted) return;
      await commits.write(
        async (unitOfWork) => {
          for (const change of changes) await change(unitOfWork);
        },
        { classId },
      );
    }
  }
  await commits.write(
    async (unitOfWork) => {
      const isRemoved = await changePendingRemovals(unitOfWork, (pending) => {
        const otherRemovals = pending.filter(({ id }) => id !== removal.id);
        return otherRemovals.length === pending.length ? null : otherRemovals;
      });
      if (!isRemoved) return;
      await erasePrivateQuestions(unitOfWork, removal);
      if (deletedId !== undefined) {
        await removeMember(unitOfWork, deletedId, classId);
      } else if (isCounted) await countMember(unitOfWork, classId, -1);
      if (memberId === null) return;
      await deleteMemberMentions(unitOfWork.db, classId, memberId);
      await deletePersonaAppeals(unitOfWork.db, classId, memberId);
      await deleteMemberSanctions(unitOfWork.db, classId, memberId);
      await deletePersona(unitOfWork.db, classId, memberId);
      unitOfWork.contentErased();
    },
    { classId },
  );
}

async function eraseVotes(
  server: UsedServer,
  { classId, own, leaverId }: PendingRemoval,
  stopping: StopSign,
): Promise<void> {
  const voter = own?.voter;
  if (voter === undefined) return;
  const scope = leaverId === undefined ? 'independent' : { accountId: leaverId };
  for await (const votes of listMemberVotes(server, { classId, voter })) {
    if (stopping.aborted) return;
    if (votes.length === 0) continue;
    await server.commits.write(
      async (unitOfWork) => {
        if (leaverId !== undefined && (await isEnrolled(unitOfWork, leaverId, classId))) return;
        await deleteMemberVotes(unitOfWork, classId, votes);
      },
      scope,
      delayedGroup,
    );
  }
}

/**
 * Erases the private question of the removal, and with the votes those that were asked while the account was being deleted. Those
 * of a member who has only left stay: staff would see when their asker left.
 */
async function erasePrivateQuestions(
  unitOfWork: UnitOfWork,
  { classId, own, leaverId }: PendingRemoval,
): Promise<void> {
  const { voter, privateQuestion } = own ?? {};
  const erased = privateQuestion === undefined ? [] : [{ classId, id: privateQuestion }];
  if (voter !== undefined && leaverId === undefined) {
    const pending = await listPendingRemovals(unitOfWork);
    const plannedIds = new Set(pending.map((other) => other.own?.privateQuestion));
    const questions = await listAskerQuestions(unitOfWork, { classId, voter });
    erased.push(...questions.filter(({ id }) => !plannedIds.has(id)));
  }
  if (erased.length === 0) return;
  for (const { id } of erased) await deletePrivateQuestions(unitOfWork.db, { classId, id });
  unitOfWork.contentErased();
}

/**
 * Erases the questions that wait for release, before the messages are listed: staff could still release them. Unlike votes, they
 * share transactions with personas.
 */
async function eraseWaitingQuestions(
  { commits }: UsedServer,
  { classId, memberId, own, leaverId }: PendingRemoval,
): Promise<void> {
  const askerMemberId = own?.asker ?? memberId;
  if (askerMemberId === null) return;
  await commits.write(
    async (unitOfWork) => {
      if (leaverId !== undefined && (await isEnrolled(unitOfWork, leaverId, classId))) return;
      const hasDeleted = await deleteMemberQuestions(unitOfWork.db, classId, askerMemberId);
      if (hasDeleted) unitOfWork.contentErased();
    },
    { classId },
  );
}

/** The changes that remove the member's messages and reactions, in chunks. */
async function* listChanges(
  db: Database,
  classId: string,
  memberId: string,
): AsyncGenerator<((unitOfWork: UnitOfWork) => Promise<void>)[]> {
  for await (const { from, to } of listSpans(await findHead(db, classId))) {
    const messages = await listAuthoredMessages(db, classId, memberId, from, to);
    const reactions = await listAuthoredReactions(db, classId, memberId, from, to);
    const changes = [
      ...messages.map((message) => (unitOfWork: UnitOfWork) => removeMessage(unitOfWork, message)),
      ...reactions.map(
        (reaction) => (unitOfWork: UnitOfWork) => removeReaction(unitOfWork, reaction, memberId),
      ),
    ];
    yield* splitIntoChunks(changes, changesPerCommit);
  }
}
