import type { Insertable, Selectable } from 'kysely';
import type { Class } from '#contract/entities.ts';
import type { Database, Tables, DatabaseTransaction } from '../database.ts';
import { prepared } from '../prepared.ts';
import { enqueueClass } from './search-index-queue.ts';

type ClassRow = Selectable<Tables['classes']>;
export type NewClass = Insertable<Tables['classes']>;

export async function insertClass(db: DatabaseTransaction, row: NewClass): Promise<void> {
  await db.insertInto('classes').values(row).execute();
  await enqueueClass(db, row.classId);
}

/** The row; null if the class is missing or deleted. */
export async function findClass(db: Database, classId: string): Promise<ClassRow | null> {
  const row = await db
    .selectFrom('classes')
    .selectAll()
    .where('classId', '=', classId)
    .where('status', '!=', 'deleted')
    .executeTakeFirst();
  return row ?? null;
}

// Selects a value instead of joining: for a join or `exists`, SQLite would plan the query on each run.
const selectHead = prepared((db, $: { accountId: string; classId: string }) =>
  db
    .selectFrom('classes')
    .select(({ selectFrom }) => [
      'salt',
      'seq',
      selectFrom('enrolments')
        .select('classId')
        .where('accountId', '=', $.accountId)
        .where('classId', '=', $.classId)
        .as('enrolledIn'),
    ])
    .where('classId', '=', $.classId)
    .where('status', '!=', 'deleted'),
);

/** The salt and the last seq of the class; null if it is deleted or the account is not a member. */
export async function findHead(
  db: Database,
  accountId: string,
  classId: string,
): Promise<{ salt: string; seq: number } | null> {
  const [head] = await selectHead(db, { accountId, classId });
  return head?.enrolledIn === classId ? head : null;
}

export async function listClassesOf(db: Database, accountId: string): Promise<ClassRow[]> {
  return db
    .selectFrom('classes')
    .innerJoin('enrolments', 'enrolments.classId', 'classes.classId')
    .selectAll('classes')
    .where('enrolments.accountId', '=', accountId)
    .where('status', '!=', 'deleted')
    .execute();
}

/** The next page of all searchable classes, by id. */
export async function listFindableAfter(
  db: Database,
  classId: string,
  most: number,
): Promise<ClassRow[]> {
  return db
    .selectFrom('classes')
    .selectAll()
    .where('classId', '>', classId)
    .where('status', '=', 'active')
    .orderBy('classId')
    .limit(most)
    .execute();
}

/** The classes with these ids that are searchable. */
export async function listFindableByIds(
  db: Database,
  classIds: readonly string[],
): Promise<ClassRow[]> {
  return db
    .selectFrom('classes')
    .selectAll()
    .where('classId', 'in', classIds)
    .where('status', '=', 'active')
    .execute();
}

/** @returns the updated class; null if it is deleted */
export async function changeMemberCount(
  db: DatabaseTransaction,
  classId: string,
  by: 1 | -1,
): Promise<ClassRow | null> {
  const row = await db
    .updateTable('classes')
    .set((set) => ({ memberCount: set('memberCount', '+', by) }))
    .where('classId', '=', classId)
    .returningAll()
    .executeTakeFirst();
  await enqueueClass(db, classId);
  return row && row.status !== 'deleted' ? row : null;
}

/** Hides the class from everyone. Its rows stay until they are erased. */
export async function markDeleted(
  db: DatabaseTransaction,
  { classId, status }: Pick<ClassRow, 'classId' | 'status'>,
  deletedDay: number,
): Promise<void> {
  await db
    .updateTable('classes')
    .set({
      status: 'deleted',
      statusBefore: status === 'archived' ? 'archived' : 'active',
      deletedDay,
    })
    .where('classId', '=', classId)
    .execute();
  await enqueueClass(db, classId);
}

/**
 * Ends the class. The new salt makes it impossible to derive the old memberIds.
 *
 * @returns the updated class
 */
export async function markEnded(
  db: DatabaseTransaction,
  classId: string,
  salt: string,
): Promise<ClassRow> {
  const row = await db
    .updateTable('classes')
    .set({ status: 'archived', salt })
    .where('classId', '=', classId)
    .returningAll()
    .executeTakeFirstOrThrow();
  await enqueueClass(db, classId);
  return row;
}

/** Permanently removes the link from the class's personas to accounts. */
export async function changeSalt(
  db: DatabaseTransaction,
  classId: string,
  salt: string,
): Promise<void> {
  await db.updateTable('classes').set({ salt }).where('classId', '=', classId).execute();
}

/** Recounts the enrolments of every class. */
export async function recountMembers(db: DatabaseTransaction): Promise<void> {
  await db
    .updateTable('classes')
    .set(({ selectFrom }) => ({
      memberCount: selectFrom('enrolments')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('enrolments.classId', '=', 'classes.classId'),
    }))
    .execute();
}

/** The fields that every signed-in user may see. */
export function toClass(row: ClassRow): Class {
  return {
    classId: row.classId,
    name: row.name,
    courseName: row.courseName,
    subjectAbbreviation: row.subjectAbbreviation,
    courseNumber: row.courseNumber,
    sectionNumber: row.sectionNumber,
    semesterSeason: row.semesterSeason,
    classSchedule: listOfText(row.classSchedule),
    beginClassTime: row.beginClassTime,
    endClassTime: row.endClassTime,
    memberCount: row.memberCount,
    ended: row.status === 'archived',
  };
}

function listOfText(json: string | null): string[] | null {
  if (json === null) return null;
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : null;
  } catch {
    return null;
  }
}
