// What accounts chose about their notifications.
import type { NotifyChoice } from '#contract/notifications.ts';
import type { Database, DatabaseTransaction } from '../database.ts';
import { prepared } from '../prepared.ts';

const selectSettings = prepared((db, $: { accountId: string }) =>
  db.selectFrom('accounts').select('notifications').where('id', '=', $.accountId),
);

/** @returns the sealed settings; null if the account never saved any */
export async function findNotificationSettings(
  db: Database,
  accountId: string,
): Promise<string | null> {
  return (await selectSettings(db, { accountId }))[0]?.notifications ?? null;
}

/** @param sealed null for the defaults */
export async function setNotificationSettings(
  db: DatabaseTransaction,
  accountId: string,
  sealed: string | null,
): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ notifications: sealed })
    .where('id', '=', accountId)
    .execute();
}

/** Of at most `limit` accounts that saved some, after this account. */
export async function listNotificationSettings(
  db: Database,
  afterAccountId: string,
  limit: number,
): Promise<{ accountId: string; sealed: string }[]> {
  const rows = await db
    .selectFrom('accounts')
    .select(['id', 'notifications'])
    .where('id', '>', afterAccountId)
    .where('notifications', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id, notifications }) => ({ accountId: id, sealed: notifications ?? '' }));
}

export async function listAllNotificationSettings(
  db: Database,
): Promise<{ accountId: string; sealed: string }[]> {
  const rows = await db
    .selectFrom('accounts')
    .select(['id', 'notifications'])
    .where('notifications', 'is not', null)
    .execute();
  return rows.map(({ id, notifications }) => ({ accountId: id, sealed: notifications ?? '' }));
}

/** The choice for each class of the account; null if it never chose. */
export async function listChoicesOf(
  db: Database,
  accountId: string,
): Promise<{ classId: string; notify: NotifyChoice | null }[]> {
  return db
    .selectFrom('enrolments')
    .select(['classId', 'notify'])
    .where('accountId', '=', accountId)
    .execute();
}

/** The choice of each account that is in the class. No index leads from a class to its accounts (decision 25). */
export async function listChoicesIn(
  db: Database,
  classId: string,
): Promise<{ accountId: string; notify: NotifyChoice | null }[]> {
  return db
    .selectFrom('enrolments')
    .select(['accountId', 'notify'])
    .where('classId', '=', classId)
    .execute();
}

/** @returns false if the account is not in the class */
export async function setChoice(
  db: DatabaseTransaction,
  of: { accountId: string; classId: string },
  notify: NotifyChoice,
): Promise<boolean> {
  const result = await db
    .updateTable('enrolments')
    .set({ notify })
    .where('accountId', '=', of.accountId)
    .where('classId', '=', of.classId)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
