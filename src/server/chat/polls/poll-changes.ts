// What a poll stores, and what it publishes: that it has closed, or that its counts have changed. An entry of the log has counts
// only after the poll has closed, because everyone in the class gets the entries.
import { pollLimits } from '#contract/limits.ts';
import { AppError } from '#contract/errors.ts';
import type { PollResult } from '#contract/entities.ts';
import { toPollEnd } from '#contract/lecture-times.ts';
import { isBlank, isPlainLine } from '#contract/text.ts';
import type { Database } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { findSettings } from '#server/chat/classes/class-settings-queries.ts';
import { appendToLog } from '#server/chat/messages/log-queries.ts';
import {
  toPoll,
  updateMessage,
  type MessageRow,
  type StoredPoll,
} from '#server/chat/messages/messages-queries.ts';
import { countChoices, deleteVotesFor } from '#server/chat/votes/votes-queries.ts';
import type { OpenPoll } from './polls-queries.ts';

/** A poll as its author sends it. */
export interface NewPoll extends StoredPoll {
  /** The time until it closes; 0 if it closes with the lecture. */
  minutes: number;
}

/** @throws {AppError} INVALID; NO_QUESTION, because a poll cannot be asked as a question */
export function parsePoll(
  { options: typedOptions, several, resultsAfter, minutes }: NewPoll,
  question: true | undefined,
): NewPoll {
  if (question) throw new AppError('POLL_AS_QUESTION');
  const options = typedOptions.map((option) => option.trim());
  const isValid = options.every((option) => !isBlank(option) && isPlainLine(option));
  if (!isValid || new Set(options).size < options.length) {
    throw new AppError('POLL_OPTIONS');
  }
  return { options, several, resultsAfter, minutes };
}

/** @throws {AppError} TOO_MANY_POLLS */
export async function checkOpenPolls(
  db: Database,
  classId: string,
  memberId: string,
): Promise<void> {
  const openPolls = await db
    .selectFrom('messages')
    .select('memberId')
    .where('classId', '=', classId)
    .where('pollClosesAt', 'is not', null)
    .execute();
  const ownCount = openPolls.filter((poll) => poll.memberId === memberId).length;
  if (ownCount >= pollLimits.ownOpenPolls) {
    throw new AppError('TOO_MANY_OWN_POLLS');
  }
  if (openPolls.length >= pollLimits.openPolls) throw new AppError('TOO_MANY_POLLS');
}

/** @param createdAt the time of the message */
export async function toPollColumns(
  db: Database,
  classId: string,
  poll: NewPoll | undefined,
  createdAt: number,
): Promise<Pick<MessageRow, 'poll' | 'pollClosesAt' | 'pollTally'>> {
  if (!poll) return { poll: null, pollClosesAt: null, pollTally: null };
  const { minutes, ...storedPoll } = poll;
  const { lecture } = await findSettings(db, classId);
  const pollClosesAt = toPollEnd(minutes, lecture, createdAt);
  return { poll: JSON.stringify(storedPoll), pollClosesAt, pollTally: null };
}

/** The chosen options as eight digits, so that all rows of votes have the same length. */
export function formatChoices(choices: readonly number[]): string {
  return Array.from({ length: pollLimits.options }, (_, n) =>
    choices.includes(n) ? '1' : '0',
  ).join('');
}

export function parseChoices(digits: string): number[] {
  return Array.from(digits).flatMap((digit, n) => (digit === '1' ? [n] : []));
}

/** The counts that a member who has voted sees: the published ones, which do not tell when someone votes. */
export function toVoterResult(
  poll: string,
  columns: Pick<MessageRow, 'pollClosesAt' | 'pollTally'>,
): PollResult | null {
  const { resultsAfter, result } = toPoll(poll, columns);
  if (resultsAfter === 'closing' || columns.pollTally === null) return result;
  return JSON.parse(columns.pollTally) as PollResult;
}

/** Counts the votes in polls of one class. The result of a poll is null while fewer than five have voted. */
export async function countVotes(
  db: Database,
  classId: string,
  polls: readonly OpenPoll[],
): Promise<Map<number, PollResult | null>> {
  const rows = await countChoices(
    db,
    classId,
    polls.map(({ seq }) => seq),
  );
  const rowsBySeq = Map.groupBy(rows, ({ seq }) => seq);
  return new Map(
    polls.map(({ seq, poll }) => {
      const { options } = JSON.parse(poll) as StoredPoll;
      const counts = options.map(() => 0);
      let voters = 0;
      for (const { choices, voterCount } of rowsBySeq.get(seq) ?? []) {
        voters += voterCount;
        for (const n of parseChoices(choices)) counts[n] = (counts[n] ?? 0) + voterCount;
      }
      return [seq, voters < pollLimits.voters ? null : { voters, counts }];
    }),
  );
}

/**
 * Changes the poll and publishes its new state.
 *
 * @returns the seq of the change
 * @throws {AppError} CLASS_ENDED unless `allowEnded` is true
 */
export async function publishPoll(
  unitOfWork: UnitOfWork,
  openPoll: OpenPoll,
  change: Partial<Pick<MessageRow, 'pollClosesAt' | 'pollTally'>>,
  allowEnded = false,
): Promise<number> {
  const { classId, id: messageId } = openPoll;
  const { seq, id } = await appendToLog(unitOfWork.db, classId, 'poll', messageId, { allowEnded });
  await updateMessage(unitOfWork.db, openPoll, change);
  const poll = toPoll(openPoll.poll, { ...openPoll, ...change });
  unitOfWork.publish(classId, { kind: 'poll', seq, id, messageId, poll });
  return seq;
}

/** Closes the poll: publishes its counts, which stay, and deletes its votes. */
export async function endPoll(
  unitOfWork: UnitOfWork,
  openPoll: OpenPoll,
  allowEnded: boolean,
): Promise<void> {
  const { db } = unitOfWork;
  const result = (await countVotes(db, openPoll.classId, [openPoll])).get(openPoll.seq) ?? null;
  const pollTally = result && JSON.stringify(result);
  await publishPoll(unitOfWork, openPoll, { pollClosesAt: null, pollTally }, allowEnded);
  await deleteVotesFor(db, openPoll);
  unitOfWork.contentErased();
}
