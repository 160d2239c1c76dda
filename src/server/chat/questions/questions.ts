// Votes for questions, and marks their answers. Votes in polls have the same table (polls.ts). A vote has an id that is different
// for each question, so that without the server key no one can link two votes of one member, or a vote to an account or a persona
// (decision 97). The number of votes is published later, at a random moment.
import type { KeyObject } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '#contract/errors.ts';
import type { Reader } from '#server/store/site.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { getMember, hasMemberId, type Actor, type Member } from '#server/chat/members/member.ts';
import { computeId, deriveId } from '#server/chat/members/member-ids.ts';
import { findRoleWith } from '#server/chat/staff/rights.ts';
import { checkMayVote, checkMayWrite, checkNotMuted } from '#server/chat/messages/may-post.ts';
import { findPresentMessage } from '#server/chat/messages/messages.ts';
import type { MessageRow } from '#server/chat/messages/messages-queries.ts';
import { publishQuestion } from './question-changes.ts';
import {
  deleteVotes,
  insertVote,
  listChangedNumbers,
  listClassVotes,
  listStoredVotes,
  listVotedAfter,
  replaceClassVotes,
  type Ballot,
  type Vote,
} from './questions-queries.ts';

/** The id under which the account votes in the class. It is stored in no row. */
export function deriveVoter(
  { site }: Pick<Reader, 'site'>,
  { classId, classSalt }: Pick<Member, 'classId' | 'classSalt'>,
  accountId: string,
): string {
  return deriveId(site.keys.questionVotes, classSalt, accountId, classId).id;
}

/** @param voter see `deriveVoter` */
export function computeVote(
  voteKey: KeyObject,
  voter: string,
  { seq, id }: Pick<MessageRow, 'seq' | 'id'>,
): Vote {
  return { seq, voter: computeId(voteKey, voter, id) };
}

/** The group of commits that write votes, so that no vote shares a transaction with a message or a persona of the voter. */
export const voteGroup = 'votes';

/**
 * Votes for a question, or takes the vote back. The commit must be in the group of votes.
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
  const { db, site } = unitOfWork;
  const member = await getMember(unitOfWork, accountId, classId);
  const question = await findQuestion(unitOfWork, classId, messageId);
  if (hasMemberId(member, question.memberId)) throw new AppError('OWN_QUESTION');
  await checkMayVote(db, member, !voted);
  const voter = deriveVoter(unitOfWork, member, accountId);
  const ownVote = computeVote(site.keys.questionVotes, voter, question);
  const isChanged = voted
    ? await insertVote(db, question, ownVote.voter)
    : (await deleteVotes(db, classId, [ownVote])).size > 0;
  if (isChanged) unitOfWork.addEffect({ kind: 'votes', classId, messageId });
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
      throw new AppError('NOT_ALLOWED', rejections[right]);
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
    const { memberId: asker } = question;
    unitOfWork.addEffect({ kind: 'answered', classId, seq, answerId, author, asker });
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
  const role = await findRoleWith(unitOfWork, { id: accountId, email }, classId, 'holdLecture');
  if (!role) throw new AppError('NOT_ALLOWED', rejections.holdLecture);
  const question = await findQuestion(unitOfWork, classId, messageId);
  const done = Number(isDone);
  return question.done === done ? member.head : publishQuestion(unitOfWork, question, { done });
}

const rejections = {
  holdLecture: 'Only staff of the class and moderators can mark a question as done.',
  markAnswer: 'Only the person who asked, staff and moderators can mark the answer.',
  endorseAnswer: 'Only staff of the class can endorse an answer.',
};

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

/** Selects the ids of those questions for which the account voted. */
export async function listVoted(
  { db, site }: Reader,
  { classId, voter }: { classId: string; voter: string },
  questions: readonly Pick<MessageRow, 'seq' | 'id'>[],
): Promise<Set<string>> {
  const idsBySeq = new Map(questions.map(({ seq, id }) => [seq, id]));
  const votes = questions.map((question) => computeVote(site.keys.questionVotes, voter, question));
  const storedVotes = await listStoredVotes(db, classId, votes);
  return new Set(storedVotes.flatMap(({ seq }) => idsBySeq.get(seq) ?? []));
}

/** Returns the reply's digit for each of the questions, in their order. */
export function toVotedDigits(
  questions: readonly Pick<MessageRow, 'id'>[],
  votedIds: ReadonlySet<string>,
): string {
  return questions.map(({ id }) => (votedIds.has(id) ? '1' : '0')).join('');
}

interface MemberVote extends Vote {
  messageId: string;
}

/** Lists the stored votes of an account in the class, those in polls too, in chunks. */
export async function* listMemberVotes(
  { db, site }: Reader,
  { classId, voter }: { classId: string; voter: string },
): AsyncGenerator<MemberVote[]> {
  for await (const targets of listVotedMessages(db, classId)) {
    const votes = targets.map((target) => computeVote(site.keys.questionVotes, voter, target));
    const messageIds = new Map(targets.map(({ seq, id }) => [seq, id]));
    const storedVotes = await listStoredVotes(db, classId, votes);
    yield storedVotes.map((row) => ({ ...row, messageId: messageIds.get(row.seq) ?? '' }));
  }
}

/** Deletes votes of an account that has left the class. The numbers follow at a random moment. */
export async function deleteMemberVotes(
  unitOfWork: UnitOfWork,
  classId: string,
  votes: readonly MemberVote[],
): Promise<void> {
  const deletedSeqs = await deleteVotes(unitOfWork.db, classId, votes);
  if (deletedSeqs.size === 0) return;
  unitOfWork.contentErased();
  for (const { seq, messageId } of votes) {
    if (deletedSeqs.has(seq)) unitOfWork.addEffect({ kind: 'votes', classId, messageId });
  }
}

/** Gives the votes of the members the ids of the new key, and deletes those of accounts that have left the class. */
export async function rekeyVotes(
  db: DatabaseTransaction,
  { classId, salt, accountIds }: { classId: string; salt: string; accountIds: Iterable<string> },
  { oldKey, newKey }: { oldKey: KeyObject; newKey: KeyObject },
): Promise<void> {
  const oldVotes = await listClassVotes(db, classId);
  if (oldVotes.length === 0) return;
  const toKey = ({ seq, voter }: Vote) => `${seq} ${voter}`;
  const oldBallots = new Map(oldVotes.map((ballot) => [toKey(ballot), ballot]));
  const targets = (await Array.fromAsync(listVotedMessages(db, classId))).flat();
  const newVotes: Ballot[] = [];
  for (const accountId of accountIds) {
    const oldVoter = computeId(oldKey, salt, accountId);
    const newVoter = computeId(newKey, salt, accountId);
    for (const target of targets) {
      const oldBallot = oldBallots.get(toKey(computeVote(oldKey, oldVoter, target)));
      if (!oldBallot) continue;
      newVotes.push({
        ...computeVote(newKey, newVoter, target),
        choices: oldBallot.choices,
      });
    }
  }
  await replaceClassVotes(db, classId, newVotes);
}

/** Computing their ids blocks the process for a millisecond. */
const messagesPerChunk = 100;

/** Lists the questions and open polls of the class that have votes, and yields to the event loop between two chunks. */
async function* listVotedMessages(
  db: Database,
  classId: string,
): AsyncGenerator<Pick<MessageRow, 'seq' | 'id'>[]> {
  for (let lastSeq: number | undefined = 0; lastSeq !== undefined;) {
    const messages = await listVotedAfter(db, { classId, seq: lastSeq }, messagesPerChunk);
    if (messages.length > 0) yield messages;
    lastSeq = messages.at(-1)?.seq;
    await setImmediate();
  }
}
