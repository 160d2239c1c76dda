// What accounts chose about their notifications.
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { prepareQuery } from '#server/store/prepare-query.ts';

const selectSettings = prepareQuery((db, $: { accountId: string }) =>
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

/** Lists the settings of at most `limit` accounts that saved some, after this account. */
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
