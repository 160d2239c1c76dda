// Publishes what changes about a question: its number of votes, and which replies are marked. An entry of the log says
// nothing about who voted or who marked.
import type { UnitOfWork } from '#server/store/changes.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { listPersonas } from '#server/chat/members/personas-queries.ts';
import { listShownMentions } from '#server/chat/messages/history.ts';
import { appendToLog } from '#server/chat/messages/log-queries.ts';
import {
  findMessage,
  listMessagesById,
  updateMessage,
  type MessageRow,
} from '#server/chat/messages/messages-queries.ts';

/**
 * Changes the question and publishes its new state.
 *
 * @returns the seq of the change
 * @throws {AppError} CLASS_ENDED unless `allowEnded` is true
 */
export async function publishQuestion(
  unitOfWork: UnitOfWork,
  { classId, seq: questionSeq, id: messageId }: Pick<MessageRow, 'classId' | 'seq' | 'id'>,
  change: Partial<Pick<MessageRow, 'votes' | 'answerId' | 'endorsedId' | 'done'>>,
  allowEnded = false,
): Promise<number> {
  const { db } = unitOfWork;
  const { seq, id } = await appendToLog(db, classId, 'question', messageId, { allowEnded });
  await updateMessage(db, { classId, seq: questionSeq }, change);
  const [message] = await listMessagesById(db, classId, [messageId]);
  const question = message?.question;
  // Each entry of the log is published, or the subscribers would miss a seq.
  if (!question) throw new Error('The message is no question.');
  const mentionedIds = listShownMentions(message);
  const personas = mentionedIds.length > 0 ? await listPersonas(db, classId, mentionedIds) : [];
  const entry = { seq, id, ...(personas.length > 0 && { personas }) };
  unitOfWork.publish(classId, { kind: 'question', ...entry, messageId, question });
  return seq;
}

/** Takes back the marks of a reply that was deleted or removed. In a deleted class nothing is published. */
export async function removeMarks(
  unitOfWork: UnitOfWork,
  { classId, id, replyTo }: MessageRow,
): Promise<void> {
  const question = replyTo === null ? null : await findMessage(unitOfWork.db, classId, replyTo);
  if (question === null || ![question.answerId, question.endorsedId].includes(id)) return;
  if (!(await findClass(unitOfWork.db, classId))) return;
  const change = {
    answerId: question.answerId === id ? null : question.answerId,
    endorsedId: question.endorsedId === id ? null : question.endorsedId,
  };
  await publishQuestion(unitOfWork, question, change, true);
}
