import type { Selectable } from 'kysely';
import { hasCaseAskerPrefix } from '#server/chat/members/member-ids.ts';
import { shuffleNeighbors } from '#server/store/shuffle-neighbors.ts';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';

export type PrivateQuestionRow = Selectable<Tables['privateQuestions']>;
export type PrivateTurnRow = Selectable<Tables['privateTurns']>;
type QuestionRef = Pick<PrivateQuestionRow, 'classId' | 'id'>;

export async function findPrivateQuestion(
  db: Database,
  { classId, id }: QuestionRef,
): Promise<PrivateQuestionRow | null> {
  const row = await db
    .selectFrom('privateQuestions')
    .selectAll()
    .where('classId', '=', classId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** Lists all of the class, in the order in which they were asked. */
export async function listClassPrivateQuestions(
  db: Database,
  classId: string,
): Promise<PrivateQuestionRow[]> {
  return db
    .selectFrom('privateQuestions')
    .selectAll()
    .where('classId', '=', classId)
    .orderBy('place')
    .execute();
}

export async function insertPrivateQuestion(
  db: DatabaseTransaction,
  row: PrivateQuestionRow,
): Promise<void> {
  await db.insertInto('privateQuestions').values(row).execute();
  await shuffleNeighbors(db, 'privateQuestions', { classId: row.classId, id: row.id });
}

export async function updatePrivateQuestion(
  db: DatabaseTransaction,
  { classId, id }: QuestionRef,
  change: Partial<Pick<PrivateQuestionRow, 'state' | 'nextState'>>,
): Promise<void> {
  await db
    .updateTable('privateQuestions')
    .set(change)
    .where('classId', '=', classId)
    .where('id', '=', id)
    .execute();
}

export async function findPrivateTurn(
  db: Database,
  { classId, id }: Pick<PrivateTurnRow, 'classId' | 'id'>,
): Promise<PrivateTurnRow | null> {
  const row = await db
    .selectFrom('privateTurns')
    .selectAll()
    .where('classId', '=', classId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** Lists the turns of these questions, oldest first. */
export async function listPrivateTurns(
  db: Database,
  classId: string,
  questionIds: readonly string[],
): Promise<Map<string, PrivateTurnRow[]>> {
  const rows = await db
    .selectFrom('privateTurns')
    .selectAll()
    .where('classId', '=', classId)
    .where('questionId', 'in', [...questionIds, ''])
    .orderBy('position')
    .execute();
  return Map.groupBy(rows, ({ questionId }) => questionId);
}

export async function insertPrivateTurn(
  db: DatabaseTransaction,
  row: PrivateTurnRow,
): Promise<void> {
  await db.insertInto('privateTurns').values(row).execute();
  await shuffleNeighbors(db, 'privateTurns', { classId: row.classId, id: row.id });
}

/** Ends the wait of the turns. @returns the turns that waited */
export async function releasePrivateTurns(
  db: DatabaseTransaction,
  { classId, id }: QuestionRef,
): Promise<Pick<PrivateTurnRow, 'memberId'>[]> {
  return db
    .updateTable('privateTurns')
    .set({ held: 0 })
    .where('classId', '=', classId)
    .where('questionId', '=', id)
    .where('held', '=', 1)
    .returning('memberId')
    .execute();
}

/** Deletes the turns of one question, of those of a class, or of all. */
export async function deletePrivateTurns(
  db: DatabaseTransaction,
  { classId, id: questionId }: Partial<QuestionRef>,
): Promise<void> {
  const deletion = db.deleteFrom('privateTurns');
  await deletion.where((build) => build.and({ classId, questionId })).execute();
}

/** Deletes one question, those of a class, or all, with their turns. */
export async function deletePrivateQuestions(
  db: DatabaseTransaction,
  { classId, id }: Partial<QuestionRef>,
): Promise<void> {
  await deletePrivateTurns(db, { classId, id });
  const deletion = db.deleteFrom('privateQuestions');
  await deletion.where((build) => build.and({ classId, id })).execute();
}

/** Lists the questions of all classes of which one side has not learned the last change. */
export async function listUnpublishedPrivateQuestions(db: Database): Promise<QuestionRef[]> {
  return db
    .selectFrom('privateQuestions')
    .select(['classId', 'id'])
    .where('nextState', 'is not', null)
    .union(
      db.selectFrom('privateTurns').select(['classId', 'questionId as id']).where('held', '=', 1),
    )
    .execute();
}

/** Lists the ids of askers with sanctions, also with those that have ended. */
export async function listSanctionedAskers(db: Database, classId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('sanctions')
    .select('memberId')
    .distinct()
    .where('classId', '=', classId)
    .execute();
  return rows.map(({ memberId }) => memberId).filter(hasCaseAskerPrefix);
}
