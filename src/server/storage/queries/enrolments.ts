import type { Reader, Writer } from '../database.ts';
import { prepared } from '../prepared.ts';

export async function isEnrolled(db: Reader, accountId: string, classId: string): Promise<boolean> {
  const row = await db
    .selectFrom('enrolments')
    .select('classId')
    .where('accountId', '=', accountId)
    .where('classId', '=', classId)
    .executeTakeFirst();
  return row !== undefined;
}

/** False when the account was in the class already. */
export async function insertEnrolment(
  db: Writer,
  accountId: string,
  classId: string,
): Promise<boolean> {
  const result = await db
    .insertInto('enrolments')
    .values({ accountId, classId, joinedDay: Math.floor(Date.now() / 86_400_000) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** False when the account was not in the class. */
export async function deleteEnrolment(
  db: Writer,
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

const selectMembership = prepared((db, $: { accountId: string; classId: string }) =>
  db
    .selectFrom('enrolments')
    .innerJoin('classes', 'classes.classId', 'enrolments.classId')
    .select(['classes.salt', 'classes.seq'])
    .where('enrolments.accountId', '=', $.accountId)
    .where('enrolments.classId', '=', $.classId)
    .where('classes.status', '!=', 'deleted'),
);

/** The salt and the log's head of a class that the account is in, or null. */
export async function findMembership(
  db: Reader,
  accountId: string,
  classId: string,
): Promise<{ salt: string; seq: number } | null> {
  return (await selectMembership(db, { accountId, classId })).rows[0] ?? null;
}
