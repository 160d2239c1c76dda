import { sql } from 'kysely';
import type { Lecture } from '#contract/entities.ts';
import { listTopicNames } from '#server/chat/classes/class-settings-queries.ts';
import type { MessageRow } from '#server/chat/messages/messages-queries.ts';
import type { Database } from '#server/store/tables.ts';

export type AskedQuestion = Pick<MessageRow, 'id' | 'text' | 'done' | 'answerId' | 'endorsedId'> & {
  votes: number;
  /** 1 if a reply is marked as the answer, or staff answered the question aloud. */
  answered: number;
  /** The name of its topic. */
  topic: string | undefined;
};

/** Bounds the work if members ask thousands of questions. Of more than these, the newest are ranked. */
const maxRankedQuestions = 1000;

const answeredFlag = sql<number>`case
  when done = 1 or "answerId" is not null or "endorsedId" is not null then 1 else 0 end`;

/**
 * Lists the questions of a lecture (`isAskedIn`). Those without an answer come first, those with the most votes before the
 * others. Questions that are hidden, or have only pictures, are left out.
 */
export async function listAskedQuestions(
  db: Database,
  classId: string,
  { firstSeq, lastSeq, lastsUntil }: Lecture,
  limit: number,
): Promise<AskedQuestion[]> {
  const questions = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('messages')
        .select(['seq', 'id', 'text', 'topicId', 'votes', 'done', 'answerId', 'endorsedId'])
        .where('classId', '=', classId)
        .where('votes', 'is not', null)
        .where('seq', '>', firstSeq)
        .where('seq', '<=', lastSeq ?? Number.MAX_SAFE_INTEGER)
        .where('createdAt', '<', lastsUntil)
        .where('text', '!=', '')
        .where('moderation', 'is', null)
        .orderBy('seq', 'desc')
        .limit(maxRankedQuestions)
        .$narrowType<{ votes: number }>()
        .as('asked'),
    )
    .select(['id', 'text', 'topicId', 'votes', 'done', 'answerId', 'endorsedId'])
    .select(answeredFlag.as('answered'))
    .orderBy('answered')
    .orderBy('votes', 'desc')
    .orderBy('seq')
    .limit(limit)
    .execute();
  const names = await listTopicNames(db, classId);
  return questions.map(({ topicId, ...question }) => ({ ...question, topic: names.get(topicId) }));
}
