// Keeps a question until staff release it, if the lecture of the class says so. The question is in no log and has no time, so
// only its asker and staff learn of it. Questions of anonymous personas of staff wait, too: one that appears immediately would
// be known to be of staff.
import { AppError } from '#contract/errors.ts';
import { isAskedIn, isHoldingQuestions } from '#contract/lecture-times.ts';
import { limits } from '#contract/limits.ts';
import { findSettings } from '#server/chat/classes/class-settings-queries.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Database } from '#server/store/tables.ts';
import type { MessageRow } from '#server/chat/messages/messages-queries.ts';
import {
  listMemberQuestions,
  measureQueue,
  saveWaitingQuestion,
  type WaitingQuestion,
} from './waiting-questions-queries.ts';

interface NewQuestion extends Omit<WaitingQuestion, 'place' | 'returned'> {
  /** The question has only a text. */
  isPlain: boolean;
}

/**
 * Keeps the new question, if new questions wait now. If it waits or came back already, only its text is replaced.
 *
 * @param earlier the same question, from an earlier try
 * @returns whether the question waits or came back, so that it must not be posted
 * @throws {AppError} QUESTION_NOT_PLAIN, TOO_MANY_WAITING, CLASS_ENDED
 */
export async function holdQuestion(
  unitOfWork: UnitOfWork,
  { isPlain, ...question }: NewQuestion,
  earlier: WaitingQuestion | null,
): Promise<boolean> {
  const { db } = unitOfWork;
  if (earlier) {
    if (earlier.text === question.text) return true;
    await saveWaitingQuestion(db, { ...earlier, text: question.text });
    unitOfWork.contentErased();
    return true;
  }
  const { lecture } = await findSettings(db, question.classId);
  if (!isHoldingQuestions(lecture, Date.now())) return false;
  if (!isPlain) throw new AppError('QUESTION_NOT_PLAIN');
  const ownQuestions = await listMemberQuestions(db, question.classId, question.memberId);
  if (ownQuestions.length >= limits.ownWaitingQuestions) throw new AppError('TOO_MANY_WAITING');
  await enqueue(unitOfWork, question);
  return true;
}

/**
 * Checks that a question of this lecture keeps the text that staff have read, as long as new questions wait.
 *
 * @throws {AppError} NOT_ALLOWED
 */
export async function checkMayChangeText(
  db: Database,
  question: Pick<MessageRow, 'classId' | 'seq' | 'createdAt'>,
): Promise<void> {
  const { lecture } = await findSettings(db, question.classId);
  if (!isHoldingQuestions(lecture, Date.now()) || !isAskedIn(lecture, question)) return;
  throw new AppError('QUESTIONS_HELD');
}

/**
 * Puts the question behind those that wait.
 *
 * @throws {AppError} CLASS_ENDED, TOO_MANY_WAITING
 */
export async function enqueue(
  { db }: UnitOfWork,
  question: Omit<WaitingQuestion, 'place' | 'returned'>,
): Promise<void> {
  if ((await findClass(db, question.classId))?.status !== 'active') {
    throw new AppError('CLASS_ENDED');
  }
  const { count, lastPlace } = await measureQueue(db, question.classId);
  if (count >= limits.waitingQuestions) {
    throw new AppError('CLASS_WAITING_FULL');
  }
  await saveWaitingQuestion(db, { ...question, place: lastPlace + 1, returned: 0 });
}
