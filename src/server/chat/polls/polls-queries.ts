import { sql, type SelectQueryBuilder } from 'kysely';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';
import type { MessageRow } from '#server/chat/messages/messages-queries.ts';
import type { Vote } from '#server/chat/questions/questions-queries.ts';

export type OpenPoll = Pick<MessageRow, 'classId' | 'seq' | 'id' | 'pollClosesAt' | 'pollTally'> & {
  poll: string;
};

function selectOpenPolls(db: Database): SelectQueryBuilder<Tables, 'messages', OpenPoll> {
  return db
    .selectFrom('messages')
    .select(['messages.classId', 'messages.seq', 'messages.id'])
    .select(['messages.poll', 'messages.pollClosesAt', 'messages.pollTally'])
    .where('messages.pollClosesAt', 'is not', null)
    .$narrowType<{ poll: string }>();
}

/** Lists the open polls of the class, oldest first. */
export async function listOpenPolls(db: Database, classId: string): Promise<OpenPoll[]> {
  return selectOpenPolls(db)
    .where('messages.classId', '=', classId)
    .orderBy('messages.seq')
    .execute();
}

/** Lists those of these polls of the class that are open, oldest first. */
export async function listOpenPollsById(
  db: Database,
  classId: string,
  ids: readonly string[],
): Promise<OpenPoll[]> {
  if (ids.length === 0) return [];
  return selectOpenPolls(db)
    .where('messages.classId', '=', classId)
    .where('messages.id', 'in', ids)
    .orderBy('messages.seq')
    .execute();
}

/** Lists the polls whose time is over, in all classes that are not deleted. */
export async function listDuePolls(db: Database, now: number, limit: number): Promise<OpenPoll[]> {
  return selectOpenPolls(db)
    .where('messages.pollClosesAt', '<=', now)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('classes')
          .whereRef('classes.classId', '=', 'messages.classId')
          .where('classes.status', '!=', 'deleted')
          .select('classes.classId'),
      ),
    )
    .limit(limit)
    .execute();
}

/** Lists the open polls of active classes. They may have votes that are not published. */
export async function listActivePolls(db: Database): Promise<Pick<MessageRow, 'classId' | 'id'>[]> {
  return db
    .selectFrom('messages')
    .innerJoin('classes', 'classes.classId', 'messages.classId')
    .select(['messages.classId', 'messages.id'])
    .where('messages.pollClosesAt', 'is not', null)
    .where('classes.status', '=', 'active')
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
