// The queries for the encrypted last use of accounts.
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';

export interface LastUseRow {
  id: string;
  email: string;
  lastUse: string | null;
}

/** Lists at most `limit` accounts, in the order of their ids, after `afterAccountId`. */
export async function listLastUses(
  db: Database,
  afterAccountId: string,
  limit: number,
): Promise<LastUseRow[]> {
  return db
    .selectFrom('accounts')
    .select(['id', 'email', 'lastUse'])
    .where('id', '>', afterAccountId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** @returns null if no use is stored, or the account does not exist */
export async function findLastUse(db: Database, accountId: string): Promise<string | null> {
  const row = await db
    .selectFrom('accounts')
    .select('lastUse')
    .where('id', '=', accountId)
    .executeTakeFirst();
  return row?.lastUse ?? null;
}

export async function saveLastUse(
  db: DatabaseTransaction,
  accountId: string,
  lastUse: string,
): Promise<void> {
  await db.updateTable('accounts').set({ lastUse }).where('id', '=', accountId).execute();
}

export async function hasLastUses(db: Database): Promise<boolean> {
  const query = db.selectFrom('accounts').select('id').where('lastUse', 'is not', null);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

export async function clearAllLastUses(db: DatabaseTransaction): Promise<void> {
  await db.updateTable('accounts').set({ lastUse: null }).execute();
}

export async function clearLastUse(db: DatabaseTransaction, accountId: string): Promise<void> {
  await db.updateTable('accounts').set({ lastUse: null }).where('id', '=', accountId).execute();
}
