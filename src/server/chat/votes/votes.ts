// Votes for questions and in polls. A vote is a row under an id that is different for each question, so that without the server key no
// one can link two votes of one member, or a vote to an account or a persona (decision 97). What a vote does to the published numbers
// is in the folders of questions and polls.
import type { KeyObject } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '#contract/errors.ts';
import type { Reader } from '#server/store/site.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import type { Member } from '#server/chat/members/member.ts';
import { computeId, deriveId } from '#server/chat/members/member-ids.ts';
import { checkMayWrite, checkNotMuted } from '#server/chat/messages/may-post.ts';
import type { MessageRow } from '#server/chat/messages/messages-queries.ts';
import {
  deleteVotes,
  listClassVotes,
  listStoredVotes,
  listVotedAfter,
  replaceClassVotes,
  type Ballot,
  type Vote,
} from './votes-queries.ts';

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

/** Computes the vote of the account for a question or in a poll of the class. */
export function computeOwnVote(
  reader: Pick<Reader, 'site'>,
  member: Pick<Member, 'classId' | 'classSalt'>,
  accountId: string,
  message: Pick<MessageRow, 'seq' | 'id'>,
): Vote {
  const voter = deriveVoter(reader, member, accountId);
  return computeVote(reader.site.keys.questionVotes, voter, message);
}

/**
 * The group of commits that write votes and private questions, so that none of these shares a transaction with a message or a
 * persona of the same account.
 */
export const delayedGroup = 'delayed';

/**
 * A muted member, and every member of a read-only class, can still take back a vote.
 *
 * @throws {AppError} MUTED, READ_ONLY, CLASS_ENDED
 */
export async function checkMayVote(
  db: Database,
  member: Member,
  isTakenBack: boolean,
): Promise<void> {
  if (!isTakenBack) {
    checkNotMuted(member);
    checkMayWrite(member);
  }
  if ((await findClass(db, member.classId))?.status !== 'active') throw new AppError('CLASS_ENDED');
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

/** Gets a digit for each of the questions, in their order: 1 if the account voted for it. */
export async function getVotedDigits(
  reader: Reader,
  member: Pick<Member, 'classId' | 'classSalt'>,
  accountId: string,
  questions: readonly Pick<MessageRow, 'seq' | 'id'>[],
): Promise<string> {
  const voter = deriveVoter(reader, member, accountId);
  const votedIds = await listVoted(reader, { classId: member.classId, voter }, questions);
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
    if (deletedSeqs.has(seq)) unitOfWork.addEffect({ kind: 'unpublished', classId, messageId });
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
