import type { Database, DatabaseTransaction } from '../database.ts';
import { plannedLimit, prepared } from '../prepared.ts';

const selectEnrolment = prepared((db, $: { accountId: string; classId: string }) =>
  db
    .selectFrom('enrolments')
    .select('classId')
    .where('accountId', '=', $.accountId)
    .where('classId', '=', $.classId),
);

export async function isEnrolled(
  db: Database,
  accountId: string,
  classId: string,
): Promise<boolean> {
  return (await selectEnrolment(db, { accountId, classId })).length > 0;
}

const selectEnrolmentsOf = prepared((db, $: { accountId: string }) =>
  db.selectFrom('enrolments').select(['classId', 'joinedDay']).where('accountId', '=', $.accountId),
);

/** The account's enrolments with the day of joining, deleted classes included. */
export async function listEnrolments(
  db: Database,
  accountId: string,
): Promise<{ classId: string; joinedDay: number }[]> {
  return selectEnrolmentsOf(db, { accountId });
}

const selectEnrolments = prepared((db, $: { accountId: string; limit: number }) =>
  db
    .selectFrom('enrolments')
    .select('classId')
    .where('accountId', '=', $.accountId)
    .limit(plannedLimit($.limit)),
);

/** Whether the account is in more classes than this, deleted ones included. */
export async function isInMoreThan(
  db: Database,
  accountId: string,
  count: number,
): Promise<boolean> {
  return (await selectEnrolments(db, { accountId, limit: count + 1 })).length > count;
}

/** @returns false if the account was already in the class */
export async function insertEnrolment(
  db: DatabaseTransaction,
  accountId: string,
  classId: string,
  joinedDay: number,
): Promise<boolean> {
  const result = await db
    .insertInto('enrolments')
    .values({ accountId, classId, joinedDay })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** @returns false if the account was not in the class */
export async function deleteEnrolment(
  db: DatabaseTransaction,
  accountId: string,
  classId: string,
): Promise<boolean> {
  const result = await db
    .deleteFrom('enrolments')
    .where('accountId', '=', accountId)
    .where('classId', '=', classId)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}
