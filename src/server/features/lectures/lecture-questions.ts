// The questions of a lecture as they are presented and printed: texts, without the people who wrote them.
import type { Lecture } from '#contract/entities.ts';
import type { CallReply } from '#contract/http.ts';
import { limits } from '#contract/limits.ts';
import { splitMentions } from '#contract/mentions.ts';
import { takeFitting } from '#server/chat/messages/history.ts';
import { listMessagesById } from '#server/chat/messages/messages-queries.ts';
import type { Database } from '#server/store/tables.ts';
import { listAskedQuestions, type AskedQuestion } from './lecture-questions-queries.ts';

/** The ids of the answer and of the reply that staff endorsed, each once. */
const listAnswerIds = ({ answerId, endorsedId }: AskedQuestion) => [
  ...new Set([answerId, endorsedId].filter((id) => id !== null)),
];

/** Gets the questions of the last lecture with the whole texts of their answers. */
export async function getLectureSheet(
  db: Database,
  classId: string,
  lecture: Lecture | undefined,
): Promise<CallReply<'listLectureQuestions'>> {
  if (!lecture) return { lectureQuestions: [] };
  const questions = await listAskedQuestions(db, classId, lecture, limits.listedQuestions);
  const answerIds = [...new Set(questions.flatMap(listAnswerIds))];
  const replies = answerIds.length > 0 ? await listMessagesById(db, classId, answerIds) : [];
  const texts = new Map(
    replies
      .filter(({ text, moderation }) => text !== '' && moderation === null)
      .map(({ id, text }) => [id, removeNames(text)]),
  );
  return {
    lectureQuestions: takeFitting(
      questions.map((question) => ({
        text: removeNames(question.text),
        topic: question.topic,
        votes: question.votes,
        done: question.done === 1,
        answerTexts: listAnswerIds(question).flatMap((id) => texts.get(id) ?? []),
      })),
    ),
  };
}

/** The text of a message without the members that it mentions. */
export function removeNames(text: string): string {
  return splitMentions(text)
    .map((part) => ('text' in part ? part.text : '@…'))
    .join('');
}
