import { hash, type KeyObject } from 'node:crypto';
import {
  placeholderDatesAndEnd,
  decryptTimes,
  sealTimes,
  timesContext,
  type Times,
} from '#server/base/sealed-times.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { planOnce, prepareQuery } from '#server/store/prepare-query.ts';
import type { UnitOfWork } from '#server/store/changes.ts';

/** Hashes a token for the database. Tokens are random, so they need no salt and no slow hash. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}

export interface SessionToInsert {
  id: string;
  accountId: string;
  /** Hashed. */
  token: string;
  device: string;
  times: Times;
}

export async function insertSession(
  db: DatabaseTransaction,
  timesKey: KeyObject,
  { accountId, times, ...session }: SessionToInsert,
): Promise<void> {
  const sealed = sealTimes(timesKey, timesContext.session(session.token), times);
  await db
    .insertInto('sessions')
    .values({ ...session, userId: accountId, times: sealed, ...placeholderDatesAndEnd })
    .execute();
}

/**
 * @param token the hash of the token
 * @returns whether the session exists
 */
export async function extendSession(
  db: DatabaseTransaction,
  timesKey: KeyObject,
  token: string,
  expiresAt: Date,
): Promise<boolean> {
  const [session] = await selectSession(db, { token });
  if (!session) return false;
  const context = timesContext.session(token);
  const createdAt = decryptTimes(timesKey, context, session)?.createdAt ?? 0;
  const times = sealTimes(timesKey, context, { createdAt, expiresAt: expiresAt.getTime() });
  await db
    .updateTable('sessions')
    .set({ times, ...placeholderDatesAndEnd })
    .where('id', '=', session.id)
    .execute();
  return true;
}

const selectSession = prepareQuery((db, $: { token: string }) =>
  db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.userId')
    .select([
      'sessions.id',
      'userId',
      'sessions.times',
      'sessions.createdAt',
      'expiresAt',
      'email',
      'emailVerified',
    ])
    .where('token', '=', planOnce($.token)),
);

export interface FoundSession {
  id: string;
  accountId: string;
  email: string;
  emailVerified: boolean;
  expiresAt: Date;
}

/** Finds the session with this hashed token, even if it has expired. */
export async function findSession(
  db: Database,
  timesKey: KeyObject,
  token: string,
): Promise<FoundSession | null> {
  const [session] = await selectSession(db, { token });
  if (!session) return null;
  const { id, userId: accountId, email } = session;
  const emailVerified = Boolean(session.emailVerified);
  const expiresAt = toExpiry(decryptTimes(timesKey, timesContext.session(token), session));
  return { id, accountId, email, emailVerified, expiresAt };
}

/** Gets the end of a session. If another key sealed its times, the session has ended. */
function toExpiry(times: Times | null): Date {
  return new Date(times?.expiresAt ?? 0);
}

const selectSessionWithLastEvent = prepareQuery((db, $: { id: string }) =>
  db
    .selectFrom('sessions')
    .select(({ selectFrom }) =>
      selectFrom('changeEvents')
        .select(({ fn }) => fn.max('seq').as('seq'))
        .as('lastEvent'),
    )
    .where('id', '=', $.id),
);

/**
 * Reads the session and the last change event in one statement, because every commit of a call runs it.
 *
 * @returns null if the session has ended
 */
export async function findSessionWithLastEvent(
  db: DatabaseTransaction,
  id: string,
): Promise<{ lastEvent: number } | null> {
  const [session] = await selectSessionWithLastEvent(db, { id });
  return session ? { lastEvent: session.lastEvent ?? 0 } : null;
}

/** Returns the ids of sessions that exist. Each node asks for the sessions of all its sockets every second. */
export async function listExistingSessions(
  db: Database,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await db.selectFrom('sessions').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}

export interface ListedSession {
  id: string;
  device: string | null;
  createdAt: Date;
  expiresAt: Date;
}

/** Lists the sessions of the account in no order, expired ones included. */
export async function listSessions(
  db: Database,
  timesKey: KeyObject,
  accountId: string,
): Promise<ListedSession[]> {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'token', 'device', 'times', 'createdAt', 'expiresAt'])
    .where('userId', '=', accountId)
    .execute();
  return rows.map((row) => {
    const { id, device, token } = row;
    const times = decryptTimes(timesKey, timesContext.session(token), row);
    return { id, device, createdAt: new Date(times?.createdAt ?? 0), expiresAt: toExpiry(times) };
  });
}

/** Deletes sessions. Their sockets are closed after the commit. */
export async function deleteSessions(
  { db, addEffect }: UnitOfWork,
  accountId: string,
  selection: { id: string } | { ids: readonly string[] } | { except: string } | 'all',
): Promise<void> {
  let query = db.deleteFrom('sessions').where('userId', '=', accountId);
  if (selection !== 'all') {
    if ('id' in selection) query = query.where('id', '=', selection.id);
    else if ('ids' in selection) query = query.where('id', 'in', selection.ids);
    else query = query.where('id', '!=', selection.except);
  }
  const rows = await query.returning('id').execute();
  if (rows.length === 0) return;
  addEffect({ kind: 'sessionsEnded', accountId, sessionIds: rows.map(({ id }) => id) });
}

export async function deleteAllSessions(db: DatabaseTransaction): Promise<void> {
  await db.deleteFrom('sessions').execute();
}
