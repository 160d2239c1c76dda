// Sessions as the server stores them. The key of a row is the hash of the token, and its content is encrypted. The sessions of an
// account have the same group, which only the account's encrypted content tells. The daily run changes it.
import { createHmac, type KeyObject } from 'node:crypto';
import { openRecord, sealRecord, tryToOpen } from '#server/base/seal.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { planOnce, prepareQuery } from '#server/store/prepare-query.ts';
import { shuffleNeighbors } from '#server/store/shuffle-neighbors.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import type { AccountRecord, AccountRecords } from './account-records.ts';

export interface SessionContent {
  accountId: string;
  /** Such as 'Chrome on Windows'. Nothing else about the browser is stored. */
  device: string;
  /** The days of the sign-in and of the end, in days since 1970. */
  createdDay: number;
  endDay: number;
}

export interface SessionRecord extends SessionContent {
  /** The hash of the token. */
  id: string;
}

export interface StoredSubscription {
  sessionId: string;
  accountId: string;
  /** Encrypted: see features/notifications/push/subscriptions.ts. */
  push: string;
  emailVerified: boolean;
}

/** Every content fits into this size, so all rows have the same. */
const contentBytes = 164;
const accountsPerRead = 500;

const selectSession = prepareQuery((db, $: { id: string }) =>
  db.selectFrom('sessions').select(['id', 'content', 'push']).where('id', '=', planOnce($.id)),
);

export class SessionRecords {
  readonly #key: KeyObject;
  readonly #accounts: Pick<AccountRecords, 'findById' | 'listById'>;

  constructor(key: KeyObject, accounts: Pick<AccountRecords, 'findById' | 'listById'>) {
    this.#key = key;
    this.#accounts = accounts;
  }

  async insert(tx: DatabaseTransaction, sessionGroup: string, session: SessionRecord) {
    const row = { id: session.id, sessionGroup, push: null, content: this.seal(session) };
    await tx.insertInto('sessions').values(row).execute();
    await shuffleNeighbors(tx, 'sessions', { id: session.id });
  }

  /** Finds the session with its account, even if it has ended. Whoever has a damaged session signs in again. */
  async find(
    db: Database,
    id: string,
  ): Promise<{ session: SessionRecord; account: AccountRecord } | null> {
    const [row] = await selectSession(db, { id });
    const session = row && tryToOpen(() => this.open(row));
    if (!session) return null;
    const account = await this.#accounts.findById(db, session.accountId);
    return account && { session, account };
  }

  /** @returns whether the session exists */
  async extend(tx: DatabaseTransaction, id: string, endDay: number): Promise<boolean> {
    const [row] = await selectSession(tx, { id });
    if (!row) return false;
    const content = this.seal({ ...this.open(row), endDay });
    await tx.updateTable('sessions').set({ content }).where('id', '=', id).execute();
    return true;
  }

  /** Lists the sessions of the account that can be opened, in no order, those that have ended included. */
  async list(db: Database, accountId: string): Promise<SessionRecord[]> {
    const group = await this.#findGroup(db, accountId);
    const rows = await db
      .selectFrom('sessions')
      .select(['id', 'content'])
      .where('sessionGroup', '=', group)
      .execute();
    return this.#openAll(rows);
  }

  async listRowsAfter(db: Database, lastId: string, limit: number) {
    const rows = db.selectFrom('sessions').select(['id', 'content']).where('id', '>', lastId);
    return rows.orderBy('id').limit(limit).execute();
  }

  /** Ends sessions of the account. Their sockets are closed after the commit. */
  async end(
    { db, addEffect }: UnitOfWork,
    accountId: string,
    selection: { ids: readonly string[] } | { except: string } | 'all',
  ): Promise<void> {
    const group = await this.#findGroup(db, accountId);
    let query = db.deleteFrom('sessions').where('sessionGroup', '=', group);
    if (selection !== 'all') {
      if ('ids' in selection) query = query.where('id', 'in', selection.ids);
      else query = query.where('id', '!=', selection.except);
    }
    const rows = await query.returning('id').execute();
    if (rows.length === 0) return;
    addEffect({ kind: 'sessionsEnded', accountId, sessionIds: rows.map(({ id }) => id) });
  }

  /** Lists the push subscriptions of all sessions, or only of one session or account, without damaged ones. */
  async listSubscriptions(
    db: Database,
    filter: { sessionId?: string | undefined; accountId?: string } = {},
  ): Promise<StoredSubscription[]> {
    let query = db
      .selectFrom('sessions')
      .select(['id', 'content', 'push'])
      .where('push', 'is not', null);
    if (filter.sessionId !== undefined) query = query.where('id', '=', filter.sessionId);
    if (filter.accountId !== undefined) {
      query = query.where('sessionGroup', '=', await this.#findGroup(db, filter.accountId));
    }
    const sessions = this.#openAll(await query.execute());
    const accountIds = [...new Set(sessions.map(({ accountId }) => accountId))];
    const verifiedIds = new Set<string>();
    for (let start = 0; start < accountIds.length; start += accountsPerRead) {
      const ids = accountIds.slice(start, start + accountsPerRead);
      for (const { id, emailVerified } of await this.#accounts.listById(db, ids, {
        skipsDamaged: true,
      })) {
        if (emailVerified) verifiedIds.add(id);
      }
    }
    return sessions.map(({ id, accountId, push }) => ({
      sessionId: id,
      accountId,
      push: push ?? '',
      emailVerified: verifiedIds.has(accountId),
    }));
  }

  /** @returns null if the session has ended or has no push subscription */
  async findSubscription(db: Database, id: string): Promise<string | null> {
    const [row] = await selectSession(db, { id });
    return row && !hasEnded(this.open(row)) ? row.push : null;
  }

  /** Derives what a browser sees of a session: no stored value leaves the server. */
  readonly toDeviceId = (id: string): string =>
    createHmac('sha256', this.#key).update(`device ${id}`).digest('base64url').slice(0, 22);

  seal({ id, ...content }: SessionRecord): Buffer {
    return sealRecord(this.#key, content, { step: contentBytes, context: toContext(id) });
  }

  /** @throws {DamagedRecordError} if this key did not seal the row */
  open({ id, content }: { id: string; content: Buffer }): SessionRecord {
    return { id, ...(openRecord(this.#key, content, toContext(id)) as SessionContent) };
  }

  #openAll<Row extends { id: string; content: Buffer }>(rows: readonly Row[]) {
    return rows.flatMap((row) => {
      const session = tryToOpen(() => this.open(row));
      return session ? [{ ...row, ...session }] : [];
    });
  }

  /** An account that does not exist has no sessions. */
  async #findGroup(db: Database, accountId: string): Promise<string> {
    return (await this.#accounts.findById(db, accountId))?.sessionGroup ?? '';
  }
}

const dayMs = 86_400_000;

/** Tells whether the session has ended, at the start of its last day. */
export function hasEnded({ endDay }: Pick<SessionContent, 'endDay'>): boolean {
  return endDay * dayMs <= Date.now();
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

/** @param push null deletes the subscription */
export async function setSubscription(
  db: DatabaseTransaction,
  sessionId: string,
  push: string | null,
): Promise<void> {
  await db.updateTable('sessions').set({ push }).where('id', '=', sessionId).execute();
  await shuffleNeighbors(db, 'sessions', { id: sessionId });
}

export async function deleteAllSessions(db: DatabaseTransaction): Promise<void> {
  await db.deleteFrom('sessions').execute();
}

function toContext(id: string): string {
  return `session ${id}`;
}
