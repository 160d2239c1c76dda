import type { KeyObject } from 'node:crypto';
import { sql, type Selectable } from 'kysely';
import type { NotifyChoice } from '#contract/notifications.ts';
import { toDate, startOfDay } from '#server/base/days.ts';
import { sealTimes, timesContext, unsealTimes, type Times } from '#server/base/sealed-times.ts';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';
import { planLimitOnce, prepareQuery } from '#server/store/prepare-query.ts';

const selectEnrollment = prepareQuery((db, $: { accountId: string; classId: string }) =>
  db
    .selectFrom('enrollments')
    .select('classId')
    .where('accountId', '=', $.accountId)
    .where('classId', '=', $.classId),
);

export async function isEnrolled(
  db: Database,
  accountId: string,
  classId: string,
): Promise<boolean> {
  return (await selectEnrollment(db, { accountId, classId })).length > 0;
}

/** The sealed content of an enrollment. */
export interface EnrollmentContent extends Times {
  /** The choice of notifications; absent until the account makes one. */
  notify?: NotifyChoice;
}

type EnrollmentRow = Pick<Selectable<Tables['enrollments']>, 'content' | 'joinedDay' | 'notify'>;

/** @returns null if another key sealed it */
function decryptEnrollment(
  timesKey: KeyObject,
  { accountId, classId }: { accountId: string; classId: string },
  { content, joinedDay, notify }: EnrollmentRow,
): EnrollmentContent | null {
  if (content !== null) {
    return unsealTimes<EnrollmentContent>(
      timesKey,
      timesContext.enrollment(accountId, classId),
      content,
    );
  }
  return { createdAt: toDate(joinedDay).getTime(), ...(notify && { notify }) };
}

const selectAccountEnrollments = prepareQuery((db, $: { accountId: string }) =>
  db
    .selectFrom('enrollments')
    .select(['classId', 'content', 'joinedDay', 'notify'])
    .where('accountId', '=', $.accountId),
);

/** The ids of the account's classes, deleted ones included. */
export async function listEnrollments(db: Database, accountId: string): Promise<string[]> {
  const rows = await selectAccountEnrollments(db, { accountId });
  return rows.map(({ classId }) => classId);
}

/** @returns the content by the id of each of the account's classes, deleted ones included; null if another key sealed it */
export async function decryptEnrollments(
  db: Database,
  timesKey: KeyObject,
  accountId: string,
): Promise<Map<string, EnrollmentContent | null>> {
  const rows = await selectAccountEnrollments(db, { accountId });
  return new Map(
    rows.map((row) => {
      const { classId } = row;
      return [classId, decryptEnrollment(timesKey, { accountId, classId }, row)];
    }),
  );
}

/**
 * The choice of each account in the class. The query reads the whole table, because no index leads from a class to its accounts
 * (decision 25).
 */
export async function listChoicesIn(
  db: Database,
  timesKey: KeyObject,
  classId: string,
): Promise<{ accountId: string; notify: NotifyChoice | undefined }[]> {
  const rows = await db
    .selectFrom('enrollments')
    .select(['accountId', 'content', 'joinedDay', 'notify'])
    .where('classId', '=', classId)
    .execute();
  return rows.map((row) => {
    const { accountId } = row;
    return { accountId, notify: decryptEnrollment(timesKey, { accountId, classId }, row)?.notify };
  });
}

/** The ids of the accounts in the class. The query reads the whole table, like that of `listChoicesIn`. */
export async function listMembers(db: Database, classId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('enrollments')
    .select('accountId')
    .where('classId', '=', classId)
    .execute();
  return new Set(rows.map(({ accountId }) => accountId));
}

/**
 * The accounts of all members of the class. It reads all of them, so the query does not tell which one is wanted. It reads the
 * whole table, like that of `listChoicesIn`.
 */
export async function listEnrolledAccounts(db: Database, classId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('enrollments')
    .select('accountId')
    .where('classId', '=', classId)
    .execute();
  return rows.map(({ accountId }) => accountId);
}

/** @returns false if the account is not in the class */
export async function setChoice(
  db: DatabaseTransaction,
  timesKey: KeyObject,
  membership: { accountId: string; classId: string },
  notify: NotifyChoice,
): Promise<boolean> {
  const row = await db
    .selectFrom('enrollments')
    .select(['content', 'joinedDay', 'notify'])
    .where('accountId', '=', membership.accountId)
    .where('classId', '=', membership.classId)
    .executeTakeFirst();
  if (!row) return false;
  const previousContent = decryptEnrollment(timesKey, membership, row) ?? {
    createdAt: startOfDay().getTime(),
  };
  await saveEnrollment(db, timesKey, membership, { ...previousContent, notify });
  return true;
}

export async function saveEnrollment(
  db: DatabaseTransaction,
  timesKey: KeyObject,
  { accountId, classId }: { accountId: string; classId: string },
  enrollment: EnrollmentContent,
): Promise<void> {
  const content = sealTimes(timesKey, timesContext.enrollment(accountId, classId), enrollment);
  await db
    .updateTable('enrollments')
    .set({ content, joinedDay: 0, notify: null })
    .where('accountId', '=', accountId)
    .where('classId', '=', classId)
    .execute();
}

const selectEnrollments = prepareQuery((db, $: { accountId: string; limit: number }) =>
  db
    .selectFrom('enrollments')
    .select('classId')
    .where('accountId', '=', $.accountId)
    .limit(planLimitOnce($.limit)),
);

/** Tells whether the account is in more classes than `count`, deleted ones included. */
export async function isInMoreThan(
  db: Database,
  accountId: string,
  count: number,
): Promise<boolean> {
  return (await selectEnrollments(db, { accountId, limit: count + 1 })).length > count;
}

/** @returns false if the account was already in the class */
export async function insertEnrollment(
  db: DatabaseTransaction,
  timesKey: KeyObject,
  accountId: string,
  classId: string,
  joinedDay: number,
): Promise<boolean> {
  const context = timesContext.enrollment(accountId, classId);
  const content = sealTimes(timesKey, context, { createdAt: toDate(joinedDay).getTime() });
  const result = await db
    .insertInto('enrollments')
    .values({ accountId, classId, content, joinedDay: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** @returns false if the account was not in the class */
export async function deleteEnrollment(
  db: DatabaseTransaction,
  accountId: string,
  classId: string,
): Promise<boolean> {
  const result = await db
    .deleteFrom('enrollments')
    .where('accountId', '=', accountId)
    .where('classId', '=', classId)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** The ids of an ended duplicate and of the class that replaces it. */
interface Merge {
  duplicateId: string;
  keptId: string;
}

/** Selects the accounts of the duplicate that are not in the class that stays. It reads the whole table, like `listChoicesIn`. */
const selectNotInBoth = (db: Database, { duplicateId, keptId }: Merge) =>
  db
    .selectFrom('enrollments')
    .select('accountId')
    .where('classId', '=', duplicateId)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('enrollments as kept')
            .select('kept.accountId')
            .whereRef('kept.accountId', '=', 'enrollments.accountId')
            .where('kept.classId', '=', keptId),
        ),
      ),
    );

export async function hasNotInBoth(db: Database, merge: Merge): Promise<boolean> {
  return (await selectNotInBoth(db, merge).limit(1).execute()).length > 0;
}

/** Lists the accounts of the duplicate that are not in the class that stays, in random order. */
export async function listNotInBoth(db: Database, merge: Merge): Promise<string[]> {
  const rows = await selectNotInBoth(db, merge)
    .orderBy(sql`random()`)
    .execute();
  return rows.map(({ accountId }) => accountId);
}

/** The accounts that are in both classes. */
export async function listInBoth(db: Database, { duplicateId, keptId }: Merge): Promise<string[]> {
  const rows = await db
    .selectFrom('enrollments')
    .innerJoin('enrollments as kept', 'kept.accountId', 'enrollments.accountId')
    .select('enrollments.accountId')
    .where('enrollments.classId', '=', duplicateId)
    .where('kept.classId', '=', keptId)
    .execute();
  return rows.map(({ accountId }) => accountId);
}
