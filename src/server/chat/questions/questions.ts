// Votes for questions, and marks their answers. The number of votes is published later, at a random moment (decision 97).
import { AppError } from '#contract/errors.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { getMember, hasMemberId, type Actor } from '#server/chat/members/member.ts';
import { findRoleWith } from '#server/chat/staff/rights.ts';
import { checkMayWrite, checkNotMuted } from '#server/chat/messages/may-post.ts';
import { findPresentMessage } from '#server/chat/messages/messages.ts';
import type { MessageRow } from '#server/chat/messages/messages-queries.ts';
import { checkMayVote, computeOwnVote } from '#server/chat/votes/votes.ts';
import { deleteVotes, insertVote } from '#server/chat/votes/votes-queries.ts';
import { publishQuestion } from './question-changes.ts';
import { listChangedNumbers } from './questions-queries.ts';

/**
 * Votes for a question, or takes the vote back. The commit must be in `delayedGroup`.
 *
 * @returns the seq of the log's head
 * @throws {AppError} NOT_FOUND, NO_QUESTION, OWN_QUESTION, MUTED, READ_ONLY, CLASS_ENDED
 */
export async function vote(
  unitOfWork: UnitOfWork,
  { accountId, classId }: Actor,
  messageId: string,
  voted: boolean,
): Promise<number> {
  const { db } = unitOfWork;
  const member = await getMember(unitOfWork, accountId, classId);
  const question = await findQuestion(unitOfWork, classId, messageId);
  if (hasMemberId(member, question.memberId)) throw new AppError('OWN_QUESTION');
  await checkMayVote(db, member, !voted);
  const ownVote = computeOwnVote(unitOfWork, member, accountId, question);
  const isChanged = voted
    ? await insertVote(db, question, ownVote.voter)
    : (await deleteVotes(db, classId, [ownVote])).size > 0;
  if (isChanged) unitOfWork.addEffect({ kind: 'unpublished', classId, messageId });
  return member.head;
}

/** @throws {AppError} NOT_FOUND if the message is missing, deleted or removed; NO_QUESTION */
async function findQuestion(
  unitOfWork: UnitOfWork,
  classId: string,
  messageId: string,
): Promise<MessageRow> {
  const message = await findPresentMessage(unitOfWork, classId, messageId);
  if (message.votes === null) throw new AppError('NO_QUESTION');
  return message;
}

interface Mark {
  messageId: string;
  /** The reply; null takes the mark back. */
  answerId: string | null;
  /** Sets the mark of staff instead of the answer. */
  endorsed?: true | undefined;
}

/**
 * Marks a reply as the answer to a question, or takes the mark back.
 *
 * @returns the seq of the change, or of the log's head if nothing changed
 * @throws {AppError} NOT_FOUND, NO_QUESTION, NO_REPLY, NOT_ALLOWED, MUTED, READ_ONLY, CLASS_ENDED
 */
export async function markAnswer(
  unitOfWork: UnitOfWork,
  { accountId, classId, email }: Actor & { email: string },
  { messageId, answerId, endorsed }: Mark,
): Promise<number> {
  const member = await getMember(unitOfWork, accountId, classId);
  const question = await findQuestion(unitOfWork, classId, messageId);
  const isAsker = question.memberId === member.persona.memberId;
  if (endorsed || !isAsker) {
    const right = endorsed ? 'endorseAnswer' : 'markAnswer';
    const role = await findRoleWith(unitOfWork, { id: accountId, email }, classId, right);
    if (!role) {
      throw new AppError(endorsed ? 'ENDORSED_BY_STAFF' : 'ANSWER_NOT_YOURS');
    }
  } else if (answerId !== null) {
    checkNotMuted(member);
  }
  const column = endorsed ? 'endorsedId' : 'answerId';
  if (question[column] === answerId) return member.head;
  if (answerId === null) return publishQuestion(unitOfWork, question, { [column]: null });
  checkMayWrite(member);
  const answer = await findPresentMessage(unitOfWork, classId, answerId);
  if (answer.replyTo !== question.id) throw new AppError('NO_REPLY');
  const seq = await publishQuestion(unitOfWork, question, { [column]: answerId });
  // No one is notified of their own mark. An endorsed reply is usually the answer already.
  if (!endorsed && !hasMemberId(member, question.memberId)) {
    const { memberId: author } = answer;
    const { memberId: askerMemberId } = question;
    unitOfWork.addEffect({ kind: 'answered', classId, seq, answerId, author, askerMemberId });
  }
  return seq;
}

/**
 * Marks that staff answered the question aloud, or takes the mark back.
 *
 * @returns the seq of the change, or of the log's head if nothing changed
 * @throws {AppError} NOT_FOUND, NO_QUESTION, NOT_ALLOWED, CLASS_ENDED
 */
export async function markDone(
  unitOfWork: UnitOfWork,
  { accountId, classId, email }: Actor & { email: string },
  { messageId, done: isDone }: { messageId: string; done: boolean },
): Promise<number> {
  const member = await getMember(unitOfWork, accountId, classId);
  const role = await findRoleWith(unitOfWork, { id: accountId, email }, classId, 'leadClass');
  if (!role) throw new AppError('DONE_BY_STAFF');
  const question = await findQuestion(unitOfWork, classId, messageId);
  const done = Number(isDone);
  return question.done === done ? member.head : publishQuestion(unitOfWork, question, { done });
}

/** Publishes those numbers of votes for these questions that have changed. */
export async function publishVotes(
  unitOfWork: UnitOfWork,
  classId: string,
  messageIds: readonly string[],
): Promise<void> {
  const questions = await listChangedNumbers(unitOfWork.db, classId, messageIds);
  for (const { voteCount, ...question } of questions) {
    await publishQuestion(unitOfWork, question, { votes: voteCount });
  }
}
