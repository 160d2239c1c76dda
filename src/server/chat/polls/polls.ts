// Who votes in a poll and sees its counts, and how it closes: at its time, by hand, with its lecture or with its class. Its votes
// (votes/votes.ts) are deleted then, and the counts stay. With the account of a voter, the votes in open polls are deleted; with
// that of the asker, the poll is, if the account's messages are (endings/remove-departed.ts).
import type { Lecture, PollResult } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { Reader } from '#server/store/site.ts';
import type { Database } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { getMember, hasMemberId, type Actor } from '#server/chat/members/member.ts';
import { findRoleWith } from '#server/chat/staff/rights.ts';
import { findPresentMessage } from '#server/chat/messages/messages.ts';
import {
  toPoll,
  type MessageRow,
  type StoredPoll,
} from '#server/chat/messages/messages-queries.ts';
import {
  countVotes,
  endPoll,
  formatChoices,
  parseChoices,
  publishPoll,
  toVoterResult,
} from './poll-changes.ts';
import { listOpenPolls, listOpenPollsById } from './polls-queries.ts';
import { checkMayVote, computeOwnVote, computeVote } from '#server/chat/votes/votes.ts';
import {
  deleteVotes,
  findChoices,
  insertVote,
  replaceChoices,
} from '#server/chat/votes/votes-queries.ts';

type PollRow = MessageRow & { poll: string };

/** @throws {AppError} NOT_FOUND if the message is missing, deleted or removed; NO_POLL */
async function getPoll(db: Database, classId: string, messageId: string): Promise<PollRow> {
  const message = await findPresentMessage({ db }, classId, messageId);
  if (message.poll === null) throw new AppError('NO_POLL');
  return { ...message, poll: message.poll };
}

/** Whether its time is over. Seconds later, the server closes it. */
function isOver({ pollClosesAt }: Pick<MessageRow, 'pollClosesAt'>): boolean {
  return pollClosesAt === null || pollClosesAt <= Date.now();
}

/**
 * Votes in a poll, changes the vote, or takes it back if no option is chosen. The commit must be in
 * `delayedGroup`.
 *
 * @returns the seq of the log's head
 * @throws {AppError} NOT_FOUND, NO_POLL, MUTED, READ_ONLY, CLASS_ENDED, POLL_CLOSED, INVALID
 */
export async function choose(
  unitOfWork: UnitOfWork,
  { accountId, classId }: Actor,
  messageId: string,
  choices: readonly number[],
): Promise<number> {
  const { db } = unitOfWork;
  const member = await getMember(unitOfWork, accountId, classId);
  const poll = await getPoll(db, classId, messageId);
  await checkMayVote(db, member, choices.length === 0);
  if (isOver(poll)) throw new AppError('POLL_CLOSED');
  const { options, several, resultsAfter } = JSON.parse(poll.poll) as StoredPoll;
  const isUnknown = choices.some((choice) => choice >= options.length);
  if (isUnknown || (!several && choices.length > 1)) throw new AppError('INVALID');
  const ownVote = computeOwnVote(unitOfWork, member, accountId, poll);
  const storedChoices = await findChoices(db, classId, ownVote);
  const newChoices = choices.length === 0 ? null : formatChoices(choices);
  if (storedChoices === newChoices) return member.head;
  if (newChoices === null) await deleteVotes(db, classId, [ownVote]);
  else if (storedChoices === null) await insertVote(db, poll, ownVote.voter, newChoices);
  else await replaceChoices(db, classId, ownVote, newChoices);
  if (resultsAfter === 'vote') unitOfWork.addEffect({ kind: 'unpublished', classId, messageId });
  return member.head;
}

/**
 * Closes a poll before its time.
 *
 * @throws {AppError} NOT_FOUND, NO_POLL, NOT_ALLOWED, POLL_CLOSED, CLASS_ENDED
 */
export async function closePoll(
  unitOfWork: UnitOfWork,
  { accountId, classId, email }: Actor & { email: string },
  messageId: string,
): Promise<void> {
  const { db } = unitOfWork;
  const member = await getMember(unitOfWork, accountId, classId);
  const poll = await getPoll(db, classId, messageId);
  if (!hasMemberId(member, poll.memberId)) {
    const role = await findRoleWith(unitOfWork, { id: accountId, email }, classId, 'closePoll');
    if (!role) {
      throw new AppError('POLL_NOT_YOURS');
    }
  }
  if (poll.pollClosesAt === null) throw new AppError('POLL_CLOSED');
  await endPoll(unitOfWork, poll, false);
}

/** Closes a poll whose time is over, unless it was closed or deleted in the meantime. Its class may have ended. */
export async function closeDuePoll(
  unitOfWork: UnitOfWork,
  classId: string,
  messageId: string,
): Promise<void> {
  const [openPoll] = await listOpenPollsById(unitOfWork.db, classId, [messageId]);
  if (openPoll && isOver(openPoll)) await endPoll(unitOfWork, openPoll, true);
}

/** Closes all polls of a class that has ended, before its votes are deleted. */
export async function closeAllPolls(unitOfWork: UnitOfWork, classId: string): Promise<void> {
  for (const openPoll of await listOpenPolls(unitOfWork.db, classId)) {
    await endPoll(unitOfWork, openPoll, true);
  }
}

/** Closes the polls that close with the lecture, because it ends before its time. */
export async function closeLecturePolls(
  unitOfWork: UnitOfWork,
  classId: string,
  { lastsUntil }: Lecture,
): Promise<void> {
  for (const openPoll of await listOpenPolls(unitOfWork.db, classId)) {
    if (openPoll.pollClosesAt === lastsUntil) await endPoll(unitOfWork, openPoll, false);
  }
}

/** Publishes that counts have changed, of those of these polls that show them before they close. */
export async function publishTallies(
  unitOfWork: UnitOfWork,
  classId: string,
  messageIds: readonly string[],
): Promise<void> {
  const { db } = unitOfWork;
  const shownPolls = (await listOpenPollsById(db, classId, messageIds)).filter(
    ({ poll }) => (JSON.parse(poll) as StoredPoll).resultsAfter === 'vote',
  );
  if (shownPolls.length === 0 || (await findClass(db, classId))?.status !== 'active') return;
  const results = await countVotes(db, classId, shownPolls);
  for (const openPoll of shownPolls) {
    const result = results.get(openPoll.seq) ?? null;
    const pollTally = result && JSON.stringify(result);
    if (pollTally === openPoll.pollTally) continue;
    await publishPoll(unitOfWork, openPoll, { pollTally });
  }
}

/**
 * Gets the member's own vote, and the result if the member may see it: of a closed poll, or of one that shows the result
 * after a vote. Who asked the poll as staff needs no vote.
 *
 * @throws {AppError} NOT_FOUND, NO_POLL
 */
export async function getShownPoll(
  reader: Reader,
  { accountId, classId }: Actor,
  messageId: string,
): Promise<{ choices: number[]; result: PollResult | null }> {
  const { db } = reader;
  const member = await getMember(reader, accountId, classId);
  const poll = await getPoll(db, classId, messageId);
  const ownVote = computeOwnVote(reader, member, accountId, poll);
  const digits = await findChoices(db, classId, ownVote);
  const choices = digits === null ? [] : parseChoices(digits);
  const { staff } = member;
  const isOwnAsStaff = staff?.maySpeak === true && staff.persona.memberId === poll.memberId;
  const seesCounts = choices.length > 0 || isOwnAsStaff;
  const result = seesCounts ? toVoterResult(poll.poll, poll) : toPoll(poll.poll, poll).result;
  return { choices, result };
}

/** Lists the votes of the account in the open polls of a class, for its export. */
export async function listOwnChoices(
  { db, site }: Reader,
  { classId, voter }: { classId: string; voter: string },
): Promise<{ messageId: string; choices: number[] }[]> {
  const ownChoices: { messageId: string; choices: number[] }[] = [];
  for (const openPoll of await listOpenPolls(db, classId)) {
    const digits = await findChoices(
      db,
      classId,
      computeVote(site.keys.questionVotes, voter, openPoll),
    );
    if (digits !== null) ownChoices.push({ messageId: openPoll.id, choices: parseChoices(digits) });
  }
  return ownChoices;
}
