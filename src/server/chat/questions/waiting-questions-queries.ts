import type { Selectable } from 'kysely';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';
import { prepareQuery } from '#server/store/prepare-query.ts';

export type WaitingQuestion = Selectable<Tables['waitingQuestions']>;

const selectQuestion = prepareQuery((db, $: { classId: string; id: string }) =>
  db
    .selectFrom('waitingQuestions')
    .selectAll()
    .where('classId', '=', $.classId)
    .where('id', '=', $.id),
);

export async function findWaitingQuestion(
  db: Database,
  classId: string,
  id: string,
): Promise<WaitingQuestion | null> {
  return (await selectQuestion(db, { classId, id }))[0] ?? null;
}

export async function listMemberQuestions(
  db: Database,
  classId: string,
  memberId: string,
): Promise<WaitingQuestion[]> {
  return db
    .selectFrom('waitingQuestions')
    .selectAll()
    .where('classId', '=', classId)
    .where('memberId', '=', memberId)
    .orderBy('place')
    .execute();
}

/** Counts the questions of the class that have not gone back, and finds the highest place of all. */
export async function measureQueue(
  db: Database,
  classId: string,
): Promise<{ count: number; lastPlace: number }> {
  const row = await db
    .selectFrom('waitingQuestions')
    .select((eb) => [
      eb.fn.max('place').as('lastPlace'),
      eb.fn.countAll().filterWhere('returned', '=', 0).as('count'),
    ])
    .where('classId', '=', classId)
    .executeTakeFirst();
  return { count: Number(row?.count ?? 0), lastPlace: row?.lastPlace ?? 0 };
}

/** Inserts the question, or replaces the one with its id. */
export async function saveWaitingQuestion(
  db: DatabaseTransaction,
  question: WaitingQuestion,
): Promise<void> {
  const { classId: _, id: __, ...values } = question;
  await db
    .insertInto('waitingQuestions')
    .values(question)
    .onConflict((conflict) => conflict.columns(['classId', 'id']).doUpdateSet(values))
    .execute();
}

/**
 * Leaves a row without text and asker, as a deleted message does: the browser that asked may send the question again late,
 * because it got no answer.
 */
export async function emptyWaitingQuestion(
  db: DatabaseTransaction,
  question: WaitingQuestion,
): Promise<void> {
  await saveWaitingQuestion(db, { ...question, memberId: '', text: '', returned: 1 });
}

export const isWithdrawn = ({ text }: WaitingQuestion): boolean => text === '';

/** Deletes the row of a question that becomes a message. */
export async function deleteWaitingQuestion(
  db: DatabaseTransaction,
  { classId, id }: Pick<WaitingQuestion, 'classId' | 'id'>,
): Promise<void> {
  await db
    .deleteFrom('waitingQuestions')
    .where('classId', '=', classId)
    .where('id', '=', id)
    .execute();
}

/** @returns whether there were any */
export async function deleteMemberQuestions(
  db: DatabaseTransaction,
  classId: string,
  memberId: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('waitingQuestions')
    .where('classId', '=', classId)
    .where('memberId', '=', memberId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteClassQuestions(
  db: DatabaseTransaction,
  classId: string,
): Promise<void> {
  await db.deleteFrom('waitingQuestions').where('classId', '=', classId).execute();
}

export async function deleteAllWaitingQuestions(db: DatabaseTransaction): Promise<void> {
  await db.deleteFrom('waitingQuestions').execute();
}
