import { sql } from 'kysely';
import type { Message } from '#contract/entities.ts';
import type { Database } from '#server/store/tables.ts';
import { planLimitOnce, planOnce, prepareQuery } from '#server/store/prepare-query.ts';
import { listMessagesBySeq, type MessageRow } from '#server/chat/messages/messages-queries.ts';

const selectNewest = prepareQuery((db, $: { classId: string; limit: number }) =>
  db
    .selectFrom('messages')
    .select('seq')
    .where('classId', '=', planOnce($.classId))
    .where('votes', 'is not', null)
    .orderBy('seq', 'desc')
    .limit(planLimitOnce($.limit)),
);

/** Lists the newest questions of the class, newest first. */
export async function listNewestQuestions(
  db: Database,
  classId: string,
  limit: number,
): Promise<Message[]> {
  const rows = await selectNewest(db, { classId, limit });
  if (rows.length === 0) return [];
  return listMessagesBySeq(
    db,
    classId,
    rows.map(({ seq }) => seq),
  );
}

/** Lists all questions of the class. */
export async function listQuestionRefs(
  db: Database,
  classId: string,
): Promise<Pick<MessageRow, 'seq' | 'id'>[]> {
  return db
    .selectFrom('messages')
    .select(['seq', 'id'])
    .where('classId', '=', classId)
    .where('votes', 'is not', null)
    .execute();
}

const voteCount = sql<number>`(
  select count(*) from "questionVotes" as votes
  where votes."classId" = messages."classId" and votes.seq = messages.seq)`;

/** Selects the questions of the class, if it is active, whose published number differs from their votes. */
const selectChangedNumbers = (db: Database, classId: string) =>
  db
    .selectFrom('messages')
    .innerJoin('classes', 'classes.classId', 'messages.classId')
    .select(['messages.classId', 'messages.seq', 'messages.id', voteCount.as('voteCount')])
    .where('messages.votes', 'is not', null)
    .where('messages.votes', '!=', voteCount)
    .where('messages.classId', '=', classId)
    .where('classes.status', '=', 'active');

/** Counts the votes for those of these questions whose published number differs from their votes, oldest first. */
export async function listChangedNumbers(
  db: Database,
  classId: string,
  messageIds: readonly string[],
): Promise<(Pick<MessageRow, 'classId' | 'seq' | 'id'> & { voteCount: number })[]> {
  if (messageIds.length === 0) return [];
  const keys = sql.join(messageIds.map((id) => sql`(${classId}, ${id})`));
  return selectChangedNumbers(db, classId)
    .where(sql<boolean>`(messages."classId", messages.id) in (values ${keys})`)
    .orderBy('messages.seq')
    .execute();
}

/** Lists the questions of the class, if it is active, whose published number differs from their votes. */
export async function listUnpublishedQuestions(
  db: Database,
  classId: string,
): Promise<Pick<MessageRow, 'classId' | 'id'>[]> {
  return selectChangedNumbers(db, classId).execute();
}
