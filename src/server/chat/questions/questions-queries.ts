import { sql } from 'kysely';
import type { Message } from '#contract/entities.ts';
import { shuffleNeighbors } from '#server/store/shuffle-neighbors.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { planLimitOnce, planOnce, prepareQuery } from '#server/store/prepare-query.ts';
import { listMessagesBySeq, type MessageRow } from '#server/chat/messages/messages-queries.ts';

/** The row of a question or of a poll. */
export interface QuestionRef {
  classId: string;
  seq: number;
}

/** A vote under the id that is different for each question. */
export interface Vote {
  seq: number;
  voter: string;
}

/** A stored vote, for a question if `choices` is null. */
export interface Ballot extends Vote {
  choices: string | null;
}

const insertRow = prepareQuery((db, $: QuestionRef & Ballot) =>
  db
    .insertInto('questionVotes')
    .values({ classId: $.classId, seq: $.seq, voter: $.voter, choices: $.choices })
    .onConflict((conflict) => conflict.doNothing())
    .returning('seq'),
);

/** @returns whether the vote is new */
export async function insertVote(
  db: DatabaseTransaction,
  { classId, seq }: QuestionRef,
  voter: string,
  choices: string | null = null,
): Promise<boolean> {
  const isNew = (await insertRow(db, { classId, seq, voter, choices })).length > 0;
  if (isNew) await shuffleNeighbors(db, 'questionVotes', { classId, seq, voter });
  return isNew;
}

/** Deletes all votes for the question, or in the poll. */
export async function deleteVotesFor(
  db: DatabaseTransaction,
  { classId, seq }: QuestionRef,
): Promise<void> {
  await db
    .deleteFrom('questionVotes')
    .where('classId', '=', classId)
    .where('seq', '=', seq)
    .execute();
}

export async function deleteClassVotes(db: DatabaseTransaction, classId: string): Promise<void> {
  await db.deleteFrom('questionVotes').where('classId', '=', classId).execute();
}

export async function deleteAllVotes(db: DatabaseTransaction): Promise<void> {
  await db.deleteFrom('questionVotes').execute();
}

export async function listClassVotes(db: Database, classId: string): Promise<Ballot[]> {
  return db
    .selectFrom('questionVotes')
    .select(['seq', 'voter', 'choices'])
    .where('classId', '=', classId)
    .execute();
}

/** Replaces all votes of the class, in the order of their keys. */
export async function replaceClassVotes(
  db: DatabaseTransaction,
  classId: string,
  votes: readonly Ballot[],
): Promise<void> {
  await deleteClassVotes(db, classId);
  const sortedVotes = votes.toSorted((first, second) => {
    if (first.seq !== second.seq) return first.seq - second.seq;
    return first.voter < second.voter ? -1 : 1;
  });
  for (const { seq, voter, choices } of sortedVotes) {
    await insertVote(db, { classId, seq }, voter, choices);
  }
}

/** Engines limit the number of values in one statement. */
const maxPerStatement = 500;

/** @param votes at most `maxPerStatement` */
function matchVotes(classId: string, votes: readonly Vote[]) {
  const values = votes.map(({ seq, voter }) => sql`(${classId}, ${sql.lit(seq)}, ${voter})`);
  return sql<boolean>`("classId", seq, voter) in (values ${sql.join(values)})`;
}

/** Selects those of the votes that are stored. */
export async function listStoredVotes(
  db: Database,
  classId: string,
  votes: readonly Vote[],
): Promise<Vote[]> {
  const storedVotes: Vote[] = [];
  for (let start = 0; start < votes.length; start += maxPerStatement) {
    const rows = await db
      .selectFrom('questionVotes')
      .select(['seq', 'voter'])
      .where(matchVotes(classId, votes.slice(start, start + maxPerStatement)))
      .execute();
    storedVotes.push(...rows);
  }
  return storedVotes;
}

/** @returns the seqs of the questions for which a vote was stored */
export async function deleteVotes(
  db: DatabaseTransaction,
  classId: string,
  votes: readonly Vote[],
): Promise<Set<number>> {
  const deletedSeqs = new Set<number>();
  for (let start = 0; start < votes.length; start += maxPerStatement) {
    const rows = await db
      .deleteFrom('questionVotes')
      .where(matchVotes(classId, votes.slice(start, start + maxPerStatement)))
      .returning('seq')
      .execute();
    for (const { seq } of rows) deletedSeqs.add(seq);
  }
  return deletedSeqs;
}

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

/** Lists the first questions and open polls after the seq that have votes, oldest first. */
export async function listVotedAfter(
  db: Database,
  { classId, seq }: QuestionRef,
  limit: number,
): Promise<Pick<MessageRow, 'seq' | 'id'>[]> {
  const votedSeqs = db
    .selectFrom('questionVotes')
    .select('seq')
    .distinct()
    .where('classId', '=', classId)
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(limit);
  return db
    .selectFrom('messages')
    .innerJoin(votedSeqs.as('voted'), 'voted.seq', 'messages.seq')
    .select(['messages.seq', 'messages.id'])
    .where('messages.classId', '=', classId)
    .orderBy('messages.seq')
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

/** Sets the published numbers of votes, which replies are marked, that staff answered the question, or that the poll is closed. */
export async function updateQuestion(
  db: DatabaseTransaction,
  { classId, seq }: QuestionRef,
  change: Partial<
    Pick<MessageRow, 'votes' | 'answerId' | 'endorsedId' | 'done' | 'pollClosesAt' | 'pollTally'>
  >,
): Promise<void> {
  await db
    .updateTable('messages')
    .set(change)
    .where('classId', '=', classId)
    .where('seq', '=', seq)
    .execute();
}
