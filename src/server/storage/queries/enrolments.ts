import { sql } from 'kysely';
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

interface Merge {
  duplicateId: string;
  keptId: string;
}

/** The accounts of one class that are not in the other one. */
const enrolledInOneOnly = (db: Database, { duplicateId, keptId }: Merge) =>
  db
    .selectFrom('enrolments')
    .where('classId', '=', duplicateId)
    .where('accountId', 'not in', (in_) =>
      in_
        .selectFrom('enrolments as kept')
        .select('kept.accountId')
        .where('kept.classId', '=', keptId),
    );

export async function countNotInBoth(db: Database, merge: Merge): Promise<number> {
  const row = await enrolledInOneOnly(db, merge)
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

/** Some accounts of the duplicate that are not in the class that stays, at random. */
export async function drawNotInBoth(db: Database, merge: Merge, limit: number): Promise<string[]> {
  const rows = await enrolledInOneOnly(db, merge)
    .select('accountId')
    .orderBy(sql`random()`)
    .limit(limit)
    .execute();
  return rows.map(({ accountId }) => accountId);
}

/** The accounts that are in both classes. */
export async function listInBoth(db: Database, { duplicateId, keptId }: Merge): Promise<string[]> {
  const rows = await db
    .selectFrom('enrolments')
    .innerJoin('enrolments as kept', 'kept.accountId', 'enrolments.accountId')
    .select('enrolments.accountId')
    .where('enrolments.classId', '=', duplicateId)
    .where('kept.classId', '=', keptId)
    .execute();
  return rows.map(({ accountId }) => accountId);
}
