// The poll on the screen of the hall. Staff choose it, and its id is a part of the lecture. The screen shows only a poll that staff
// asked as staff, so it never shows what an anonymous persona wrote.
import type { Lecture } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { CallReply } from '#contract/http.ts';
import { isLectureOn } from '#contract/lecture-times.ts';
import { findSettings } from '#server/chat/classes/class-settings-queries.ts';
import { publishSettings } from '#server/chat/classes/class-settings.ts';
import { findPersona } from '#server/chat/members/personas-queries.ts';
import { findMessage, toPoll, type MessageRow } from '#server/chat/messages/messages-queries.ts';
import { toVoterResult } from '#server/chat/polls/poll-changes.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Database } from '#server/store/tables.ts';
import { removeNames } from './lecture-questions.ts';

type PresentedPoll = NonNullable<CallReply<'readPresentation'>['presentedPoll']>;

/**
 * Shows a poll on the screen of the hall, instead of another one. Null: no poll any more.
 *
 * @throws {AppError} NO_LECTURE, NOT_FOUND, NO_POLL, NOT_ALLOWED if staff did not ask the poll
 */
export async function setPresentedPoll(
  unitOfWork: UnitOfWork,
  classId: string,
  messageId: string | null,
): Promise<void> {
  const { db } = unitOfWork;
  const settings = await findSettings(db, classId);
  if (!isLectureOn(settings.lecture, Date.now())) throw new AppError('NO_LECTURE');
  const pollId = messageId ?? undefined;
  if (settings.lecture.pollId === pollId) return;
  if (messageId !== null) await checkPresentable(db, classId, messageId);
  const lecture = { ...settings.lecture, pollId };
  await publishSettings(unitOfWork, classId, { ...settings, lecture });
}

async function checkPresentable(db: Database, classId: string, messageId: string): Promise<void> {
  const message = await findMessage(db, classId, messageId);
  if (!message || !isVisible(message)) throw new AppError('NOT_FOUND');
  if (message.poll === null) throw new AppError('NO_POLL');
  if (!(await isFromStaff(db, message))) {
    throw new AppError('POLL_NOT_OF_STAFF');
  }
}

function isVisible({ deleted, moderation }: MessageRow): boolean {
  return !deleted && moderation === null;
}

async function isFromStaff(db: Database, { classId, memberId }: MessageRow): Promise<boolean> {
  const persona = await findPersona(db, classId, memberId);
  return persona?.staff === 1;
}

/** Finds the poll that is shown, unless it is hidden after reports. */
export async function findPresentedPoll(
  db: Database,
  classId: string,
  { pollId }: Lecture,
  toKey: (messageId: string) => string,
): Promise<PresentedPoll | null> {
  const message = pollId === undefined ? null : await findMessage(db, classId, pollId);
  if (!message || !isVisible(message) || message.poll === null) return null;
  const { options, resultsAfter, closesAt } = toPoll(message.poll, message);
  const result = toVoterResult(message.poll, message);
  return {
    pollKey: toKey(message.id),
    pollText: removeNames(message.text),
    pollOptions: options,
    pollOpen: closesAt !== null,
    pollCountsAfter: resultsAfter,
    pollCounts: result && { pollVoters: result.voters, optionCounts: result.counts },
  };
}
