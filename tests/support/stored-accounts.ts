// Reads and changes the encrypted rows of accounts and sessions with the server key of the test.
import { AccountRecords, type AccountRecord } from '#server/accounts/account-records.ts';
import { createMailboxes } from '#server/accounts/mailboxes.ts';
import { SessionRecords, type SessionRecord } from '#server/accounts/session-records.ts';
import { loadServerKeys, type ServerKeys } from '#server/base/server-keys.ts';
import { loadConfig } from '#server/config/config.ts';
import type { Settings } from './child-environment.ts';
import { quoteSql } from './test-database.ts';

interface StoredRows {
  readonly settings: Settings;
  query(sql: string): Promise<Record<string, unknown>[]>;
}

/** Creates what opens the rows of the database. */
export function createRecords({ settings }: Pick<StoredRows, 'settings'>, keys?: ServerKeys) {
  const { secretKey, keyDir, domainAliases } = loadConfig({ ...settings });
  const serverKeys = keys ?? loadServerKeys(secretKey, keyDir);
  const accounts = new AccountRecords(
    serverKeys.accounts,
    createMailboxes(domainAliases, serverKeys.mailboxes),
  );
  return { accounts, sessions: new SessionRecords(serverKeys.sessions, accounts) };
}

/** The hashed address, as a literal of SQL. */
export function quoteAddressKey(database: Pick<StoredRows, 'settings'>, email: string): string {
  return quoteSql(createRecords(database).accounts.toAddressKey(email));
}

/** Binary content, as a literal of SQL. */
function quoteBytes({ settings }: Pick<StoredRows, 'settings'>, bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return settings['DATABASE_URL'] === undefined ? `x'${hex}'` : `decode('${hex}', 'hex')`;
}

/** Lists the accounts in the order of their addresses. */
export async function listStoredAccounts(database: StoredRows): Promise<AccountRecord[]> {
  const { accounts } = createRecords(database);
  const rows = await database.query('select * from accounts');
  return rows
    .map((row) => accounts.open(row as unknown as Parameters<typeof accounts.open>[0]))
    .toSorted((a, b) => (a.email < b.email ? -1 : 1));
}

export async function findStoredAccount(
  database: StoredRows,
  email: string,
): Promise<AccountRecord> {
  const stored = await listStoredAccounts(database);
  const account = stored.find((candidate) => candidate.email === email.toLowerCase());
  if (!account) throw new Error(`There is no account with the address ${email}.`);
  return account;
}

/** @param email null for all accounts */
export async function changeStoredAccounts(
  database: StoredRows,
  email: string | null,
  changes: Partial<AccountRecord>,
): Promise<void> {
  const { accounts } = createRecords(database);
  for (const account of await listStoredAccounts(database)) {
    if (email !== null && account.email !== email.toLowerCase()) continue;
    const { addressKey, content } = accounts.seal({ ...account, ...changes });
    await database.query(
      `update accounts set "addressKey" = ${quoteSql(addressKey)},
         content = ${quoteBytes(database, content)} where id = ${quoteSql(account.id)}`,
    );
  }
}

export async function insertStoredAccount(
  database: StoredRows,
  account: AccountRecord,
): Promise<void> {
  const row = createRecords(database).accounts.seal(account);
  const keys = [row.id, row.addressKey, row.mailboxKey, row.signOnKey].map((value) =>
    value === null ? 'null' : quoteSql(value),
  );
  await database.query(
    `insert into accounts (id, "addressKey", "mailboxKey", "signOnKey", content)
     values (${keys.join(', ')}, ${quoteBytes(database, row.content)})`,
  );
}

export interface StoredSession extends SessionRecord {
  push: string | null;
  sessionGroup: string;
}

/** @param email null for the sessions of all accounts */
export async function listStoredSessions(
  database: StoredRows,
  email: string | null = null,
): Promise<StoredSession[]> {
  const { sessions } = createRecords(database);
  const accountId = email === null ? null : (await findStoredAccount(database, email)).id;
  const rows = await database.query('select * from sessions');
  return rows
    .map((row) => row as unknown as StoredSession & { content: Buffer })
    .map(({ content, ...row }) => ({ ...row, ...sessions.open({ id: row.id, content }) }))
    .filter((session) => accountId === null || session.accountId === accountId);
}

/** @param isChanged by default all sessions */
export async function changeStoredSessions(
  database: StoredRows,
  changes: Partial<SessionRecord>,
  isChanged: (session: StoredSession) => boolean = () => true,
): Promise<void> {
  const { sessions } = createRecords(database);
  for (const stored of await listStoredSessions(database)) {
    if (!isChanged(stored)) continue;
    const { id, accountId, device, createdDay, endDay } = { ...stored, ...changes };
    const content = sessions.seal({ id, accountId, device, createdDay, endDay });
    await database.query(
      `update sessions set content = ${quoteBytes(database, content)} where id = ${quoteSql(id)}`,
    );
  }
}

export async function insertStoredSession(
  database: StoredRows,
  email: string,
  session: Omit<SessionRecord, 'accountId'>,
): Promise<void> {
  const { id: accountId, sessionGroup } = await findStoredAccount(database, email);
  const content = createRecords(database).sessions.seal({ ...session, accountId });
  await database.query(
    `insert into sessions (id, "sessionGroup", content)
     values (${quoteSql(session.id)}, ${quoteSql(sessionGroup)}, ${quoteBytes(database, content)})`,
  );
}
