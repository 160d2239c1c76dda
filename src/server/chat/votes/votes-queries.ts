import { sql } from 'kysely';
import { shuffleNeighbors } from '#server/store/shuffle-neighbors.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { prepareQuery } from '#server/store/prepare-query.ts';
import type { MessageRow } from '#server/chat/messages/messages-queries.ts';

/** The row of a question or of a poll. */
export interface QuestionRef {
  classId: string;
  seq: number;
}

/** A vote under the id that is different for each question and poll. */
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

/** How many members chose the same options of a poll. */
interface ChoiceCount {
  seq: number;
  choices: string;
  voterCount: number;
}

/** Counts the votes in these polls of the class. */
export async function countChoices(
  db: Database,
  classId: string,
  seqs: readonly number[],
): Promise<ChoiceCount[]> {
  if (seqs.length === 0) return [];
  return db
    .selectFrom('questionVotes')
    .select(['seq', 'choices', sql<number>`count(*)`.as('voterCount')])
    .where('classId', '=', classId)
    .where('seq', 'in', seqs)
    .where('choices', 'is not', null)
    .groupBy(['seq', 'choices'])
    .$narrowType<{ choices: string }>()
    .execute();
}

/** Finds what a vote chose. Null: it is not stored. */
export async function findChoices(
  db: Database,
  classId: string,
  { seq, voter }: Vote,
): Promise<string | null> {
  const ballot = await db
    .selectFrom('questionVotes')
    .select('choices')
    .where('classId', '=', classId)
    .where('seq', '=', seq)
    .where('voter', '=', voter)
    .executeTakeFirst();
  return ballot?.choices ?? null;
}

/** Changes what a stored vote chose. The row stays at its place, because all values have the same length. */
export async function replaceChoices(
  db: DatabaseTransaction,
  classId: string,
  { seq, voter }: Vote,
  choices: string,
): Promise<void> {
  await db
    .updateTable('questionVotes')
    .set({ choices })
    .where('classId', '=', classId)
    .where('seq', '=', seq)
    .where('voter', '=', voter)
    .execute();
}
