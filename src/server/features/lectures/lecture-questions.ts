// The questions of a lecture as they are presented and printed: texts, without the people who wrote them.
import type { Lecture, Message } from '#contract/entities.ts';
import type { CallReply } from '#contract/http.ts';
import { isAskedIn } from '#contract/lecture-times.ts';
import { limits } from '#contract/limits.ts';
import { splitMentions } from '#contract/mentions.ts';
import { countJsonBytes } from '#server/chat/messages/history.ts';
import { listMessagesById } from '#server/chat/messages/messages-queries.ts';
import { listNewestQuestions } from '#server/chat/messages/questions-queries.ts';
import type { Database } from '#server/store/tables.ts';

interface AskedQuestion {
  id: string;
  text: string;
  votes: number;
  isDone: boolean;
  isAnswered: boolean;
  /** The ids of the answer and of the reply that staff endorsed. */
  answerIds: string[];
}

/**
 * Lists the questions of a lecture. Those without an answer come first, those with the most votes before the others. Questions
 * that are hidden, or have only pictures, are left out.
 */
export async function listAskedQuestions(
  db: Database,
  classId: string,
  lecture: Lecture,
): Promise<AskedQuestion[]> {
  const newest = await listNewestQuestions(db, classId, limits.listedQuestions);
  return newest
    .filter((message) => isAskedIn(lecture, message))
    .filter(({ text, moderation }) => text !== '' && moderation === null)
    .toReversed()
    .flatMap(toAskedQuestion)
    .toSorted((a, b) => Number(a.isAnswered) - Number(b.isAnswered) || b.votes - a.votes);
}

function toAskedQuestion({ id, text, question }: Message): AskedQuestion[] {
  if (!question) return [];
  const { votes, answer, endorsed, done } = question;
  const answerIds = [answer, endorsed].flatMap((reply) => reply?.messageId ?? []);
  const isDone = done === true;
  return [{ id, text, votes, isDone, isAnswered: isDone || answerIds.length > 0, answerIds }];
}

/** Gets the questions of the last lecture with the whole texts of their answers. */
export async function getLectureSheet(
  db: Database,
  classId: string,
  lecture: Lecture | undefined,
): Promise<CallReply<'listLectureQuestions'>> {
  if (!lecture) return { lectureQuestions: [] };
  const questions = await listAskedQuestions(db, classId, lecture);
  const answerIds = [...new Set(questions.flatMap((question) => question.answerIds))];
  const replies = answerIds.length > 0 ? await listMessagesById(db, classId, answerIds) : [];
  const texts = new Map(
    replies
      .filter(({ text, moderation }) => text !== '' && moderation === null)
      .map(({ id, text }) => [id, removeNames(text)]),
  );
  return {
    lectureQuestions: takeFitting(
      questions.map(({ text, votes, isDone, answerIds: ids }) => ({
        text: removeNames(text),
        votes,
        done: isDone,
        answerTexts: [...new Set(ids)].flatMap((id) => texts.get(id) ?? []),
      })),
    ),
  };
}

/** Takes the first items that fit into one reply. */
export function takeFitting<Item>(items: readonly Item[]): Item[] {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += countJsonBytes(item);
    return bytes > limits.listedQuestionsBytes;
  });
  return items.slice(0, end === -1 ? items.length : end);
}

/** The text of a message without the members that it mentions. */
export function removeNames(text: string): string {
  return splitMentions(text)
    .map((part) => ('text' in part ? part.text : '@…'))
    .join('');
}
