// What becomes of a question that waits for release: staff release it or give it back, and its asker withdraws it or sends it
// again. Nothing stores who of the staff did it.
import { defaultName } from '#contract/default-name.ts';
import type { Persona } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { CallReply } from '#contract/http.ts';
import { isHoldingQuestions, isLectureOn } from '#contract/lecture-times.ts';
import { limits } from '#contract/limits.ts';
import { listMentionedIds } from '#contract/mentions.ts';
import { findSettings } from '#server/chat/classes/class-settings-queries.ts';
import { getMember, type Actor } from '#server/chat/members/member.ts';
import { findPersona, listPersonas, toPersona } from '#server/chat/members/personas-queries.ts';
import { findCurrentSanction } from '#server/chat/members/sanctions.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Reader } from '#server/store/site.ts';
import type { Database } from '#server/store/tables.ts';
import { enqueue } from '#server/chat/questions/hold-question.ts';
import { checkMayPost, checkMayWrite } from '#server/chat/messages/may-post.ts';
import { appendMessage, type Author } from '#server/chat/messages/messages.ts';
import { takeFitting } from '#server/chat/messages/history.ts';
import { findMessage } from '#server/chat/messages/messages-queries.ts';
import {
  deleteWaitingQuestion,
  emptyWaitingQuestion,
  findWaitingQuestion,
  listMemberQuestions,
  saveWaitingQuestion,
  type WaitingQuestion,
} from '#server/chat/questions/waiting-questions-queries.ts';

/** Lists the questions that staff can release, up to 256 KiB, with the personas that they need. */
export async function listReleasable(
  db: Database,
  classId: string,
): Promise<CallReply<'listWaitingQuestions'>> {
  const { lecture } = await findSettings(db, classId);
  if (!isLectureOn(lecture, Date.now())) return { waitingQuestions: [], personas: [] };
  const rows = await db
    .selectFrom('waitingQuestions')
    .selectAll()
    .where('classId', '=', classId)
    .where('returned', '=', 0)
    .orderBy('place')
    .limit(limits.waitingQuestions)
    .execute();
  const texts = takeFitting(rows.map(({ text }) => text));
  const waitingQuestions = rows.slice(0, texts.length).map(({ id, memberId, text, topicId }) => {
    return { messageId: id, memberId, text, topicId: topicId ?? undefined };
  });
  const personaIds = waitingQuestions.flatMap(({ memberId, text }) => [
    memberId,
    ...listMentionedIds(text),
  ]);
  return {
    waitingQuestions,
    personas: await listPersonas(db, classId, [...new Set(personaIds)]),
  };
}

/** Lists the member's own questions. All of them have come back if the lecture is over. */
export async function listOwnWaiting(
  reader: Reader,
  { accountId, classId }: Actor,
): Promise<CallReply<'listOwnWaiting'>> {
  const { db } = reader;
  const { persona } = await getMember(reader, accountId, classId);
  const rows = await listMemberQuestions(db, classId, persona.memberId);
  const { lecture } = await findSettings(db, classId);
  const isOn = isLectureOn(lecture, Date.now());
  return {
    ownWaiting: rows.map(({ id, text, returned }) => {
      return { messageId: id, text, returned: !isOn || returned === 1 };
    }),
  };
}

/**
 * Posts the question as a message of its asker. Whether the asker has left the class is not checked, because the answer would
 * tell staff who left.
 *
 * @param readText the text that staff read
 * @returns false if it went back, because the asker is sanctioned
 * @throws {AppError} NOT_FOUND, NO_LECTURE, READ_ONLY, CLASS_ENDED
 */
export async function releaseQuestion(
  unitOfWork: UnitOfWork,
  classId: string,
  messageId: string,
  readText: string,
): Promise<boolean> {
  const { db } = unitOfWork;
  const question = await getReleasable(db, classId, messageId);
  if (question.text !== readText) {
    throw new AppError('QUESTION_CHANGED');
  }
  checkMayWrite({ restrictions: await findSettings(db, classId) });
  const { memberId } = question;
  const isSanctioned = (await findCurrentSanction(db, classId, memberId)) !== null;
  // Another message can have the id, if the browser of the asker is no browser of ours.
  if (isSanctioned || (await findMessage(db, classId, messageId))) {
    await saveWaitingQuestion(db, { ...question, returned: 1 });
    return false;
  }
  const row = await findPersona(db, classId, memberId);
  const persona: Persona = row ? toPersona(row) : { ...newPersona, memberId, icon: memberId };
  const author = { classId, persona, hasAppeared: row !== null, staff: null };
  await post(unitOfWork, author, question);
  return true;
}

const newPersona = { anonymousName: defaultName };

/** @throws {AppError} NOT_FOUND, NO_LECTURE */
export async function returnQuestion(
  { db }: UnitOfWork,
  classId: string,
  messageId: string,
): Promise<void> {
  const question = await getReleasable(db, classId, messageId);
  await saveWaitingQuestion(db, { ...question, returned: 1 });
}

/**
 * Sends a question that came back: it waits again, or is posted. If it waits, nothing changes.
 *
 * @throws {AppError} NOT_FOUND, MUTED, READ_ONLY, SLOW_MODE, TOO_MANY_WAITING, ID_CONFLICT, CLASS_ENDED
 */
export async function sendWaiting(
  unitOfWork: UnitOfWork,
  { accountId, classId }: Actor,
  messageId: string,
): Promise<void> {
  const { db } = unitOfWork;
  const member = await getMember(unitOfWork, accountId, classId);
  const question = await findOwn(db, classId, messageId, member.persona.memberId);
  if (!question) throw new AppError('NOT_FOUND');
  const settings = await findSettings(db, classId);
  if (question.returned === 0 && isLectureOn(settings.lecture, Date.now())) return;
  await checkMayPost(db, member, false);
  if (isHoldingQuestions(settings.lecture, Date.now())) return enqueue(unitOfWork, question);
  if (await findMessage(db, classId, messageId)) throw new AppError('ID_CONFLICT');
  await post(unitOfWork, member, question);
}

/** Erases the question of the member. If it is gone, nothing changes. @throws {AppError} NOT_FOUND */
export async function withdrawWaiting(
  unitOfWork: UnitOfWork,
  { accountId, classId }: Actor,
  messageId: string,
): Promise<void> {
  const { db } = unitOfWork;
  const { persona } = await getMember(unitOfWork, accountId, classId);
  const question = await findOwn(db, classId, messageId, persona.memberId);
  if (!question) return;
  await emptyWaitingQuestion(db, question);
  unitOfWork.contentErased();
}

async function post(
  unitOfWork: UnitOfWork,
  author: Author,
  question: WaitingQuestion,
): Promise<void> {
  const { id, text, topicId } = question;
  await deleteWaitingQuestion(unitOfWork.db, question);
  await appendMessage(unitOfWork, author, {
    id,
    text,
    images: [],
    replyTo: '',
    question: true,
    topicId: topicId ?? undefined,
  });
}

/** @throws {AppError} NOT_FOUND, NO_LECTURE */
async function getReleasable(
  db: Database,
  classId: string,
  messageId: string,
): Promise<WaitingQuestion> {
  const { lecture } = await findSettings(db, classId);
  if (!isLectureOn(lecture, Date.now())) {
    throw new AppError('LECTURE_OVER');
  }
  const question = await findWaitingQuestion(db, classId, messageId);
  if (question?.returned !== 0) {
    throw new AppError('QUESTION_NOT_WAITING');
  }
  return question;
}

async function findOwn(
  db: Database,
  classId: string,
  messageId: string,
  memberId: string,
): Promise<WaitingQuestion | null> {
  const question = await findWaitingQuestion(db, classId, messageId);
  return question?.memberId === memberId ? question : null;
}
