// The push subscriptions of sessions. A subscription is a column of its session, so it ends in the same moment.
import type { KeyObject } from 'node:crypto';
import { decryptTimes, timesContext } from '#server/base/sealed-times.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { prepareQuery } from '#server/store/prepare-query.ts';

export interface StoredSubscription {
  sessionId: string;
  accountId: string;
  push: string;
  emailVerified: boolean;
}

/** @param filter only those of this session or account */
export async function listSubscriptions(
  db: Database,
  filter: { sessionId?: string | undefined; accountId?: string } = {},
): Promise<StoredSubscription[]> {
  let query = db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.userId')
    .select(['sessions.id', 'userId', 'push', 'emailVerified'])
    .where('push', 'is not', null);
  if (filter.sessionId !== undefined) query = query.where('sessions.id', '=', filter.sessionId);
  if (filter.accountId !== undefined) query = query.where('userId', '=', filter.accountId);
  const rows = await query.execute();
  return rows.map(({ id, userId, push, emailVerified }) => ({
    sessionId: id,
    accountId: userId,
    push: push ?? '',
    emailVerified: Boolean(emailVerified),
  }));
}

const selectSubscription = prepareQuery((db, $: { sessionId: string }) =>
  db
    .selectFrom('sessions')
    .select(['push', 'token', 'times', 'createdAt', 'expiresAt'])
    .where('id', '=', $.sessionId),
);

/** @returns null if the session has ended or has no subscription */
export async function findSubscription(
  db: Database,
  timesKey: KeyObject,
  sessionId: string,
): Promise<string | null> {
  const [row] = await selectSubscription(db, { sessionId });
  if (!row) return null;
  const times = decryptTimes(timesKey, timesContext.session(row.token), row);
  return times?.expiresAt !== undefined && times.expiresAt > Date.now() ? row.push : null;
}

/** @param push null deletes the subscription */
export async function setSubscription(
  db: DatabaseTransaction,
  sessionId: string,
  push: string | null,
): Promise<void> {
  await db.updateTable('sessions').set({ push }).where('id', '=', sessionId).execute();
}
