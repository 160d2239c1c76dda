// Reads and writes encrypted columns, so that they can be encrypted again. Their rows name an account.
import { placeholderDates, placeholderDatesAndEnd } from '#server/base/sealed-times.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';

/** The sealed columns of an account and its sessions, and the columns that they replace. */
export interface AccountRows {
  account: {
    id: string;
    times: string | null;
    createdAt: string | Date;
    lastUse: string | null;
    notifications: string | null;
  };
  sessions: {
    id: string;
    token: string;
    times: string | null;
    createdAt: string | Date;
    expiresAt: string | Date;
    push: string | null;
  }[];
}

/** Lists the ids of at most `limit` accounts, in order, after `afterAccountId`. */
export async function listAccountIdsAfter(
  db: Database,
  afterAccountId: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '>', afterAccountId)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** @returns null if the account does not exist */
export async function findAccountRows(
  db: Database,
  accountId: string,
): Promise<AccountRows | null> {
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'times', 'createdAt', 'lastUse', 'notifications'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  if (!account) return null;
  const sessions = await db
    .selectFrom('sessions')
    .select(['id', 'token', 'times', 'createdAt', 'expiresAt', 'push'])
    .where('userId', '=', accountId)
    .execute();
  return { account, sessions };
}

export async function saveSealedAccount(
  db: DatabaseTransaction,
  accountId: string,
  sealed: Pick<AccountRows['account'], 'lastUse' | 'notifications'> & { times: string },
): Promise<void> {
  const columns = { ...sealed, ...placeholderDates };
  await db.updateTable('accounts').set(columns).where('id', '=', accountId).execute();
  await db
    .updateTable('credentials')
    .set(placeholderDates)
    .where('userId', '=', accountId)
    .execute();
}

export async function saveSealedSession(
  db: DatabaseTransaction,
  sessionId: string,
  sealed: { times: string; push: string | null },
): Promise<void> {
  const columns = { ...sealed, ...placeholderDatesAndEnd };
  await db.updateTable('sessions').set(columns).where('id', '=', sessionId).execute();
}

export async function listMailedLinks(db: Database) {
  return db
    .selectFrom('verifications')
    .select(['id', 'identifier', 'times', 'createdAt', 'expiresAt'])
    .execute();
}

export async function deleteMailedLinks(
  db: DatabaseTransaction,
  ids: readonly string[],
): Promise<void> {
  await db.deleteFrom('verifications').where('id', 'in', ids).execute();
}
