import { hash, type KeyObject } from 'node:crypto';
import { sql } from 'kysely';
import { createRandomId } from '#server/base/random-id.ts';
import { startOfDay } from '#server/base/days.ts';
import {
  placeholderDates,
  placeholderDatesAndEnd,
  decryptTimes,
  sealTimes,
  timesContext,
} from '#server/base/sealed-times.ts';
import { planOnce, prepareQuery } from '#server/store/prepare-query.ts';
import { defaultSettings, sealSettings } from './sealed-settings.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';

/** The day on which the account was created; null if it does not exist. */
export async function findCreatedAt(
  db: Database,
  timesKey: KeyObject,
  accountId: string,
): Promise<Date | null> {
  const row = await db
    .selectFrom('accounts')
    .select(['times', 'createdAt'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  const times = row && decryptTimes(timesKey, timesContext.account(accountId), row);
  return times ? new Date(times.createdAt) : null;
}

export async function listAccountIds(db: Database): Promise<string[]> {
  const rows = await db.selectFrom('accounts').select('id').execute();
  return rows.map(({ id }) => id);
}

/** Identifies an account: the address as typed, and the key of its mailbox. */
export interface Address {
  email: string;
  mailboxKey: string;
}

export interface FoundAccount {
  id: string;
  email: string;
  emailVerified: boolean;
  passwordHash: string | null;
}

const selectAccounts = prepareQuery((db, $: Address) =>
  db
    .selectFrom('accounts')
    .leftJoin('credentials', 'credentials.userId', 'accounts.id')
    .select(['accounts.id', 'email', 'emailVerified', 'password as passwordHash'])
    .where((eb) =>
      eb.or([eb('email', '=', planOnce($.email)), eb('mailboxKey', '=', planOnce($.mailboxKey))]),
    ),
);

/** Finds the account with exactly this address, or else one with the same mailbox. */
export async function findAccount(
  db: Database,
  { email: typedEmail, mailboxKey }: Address,
): Promise<FoundAccount | null> {
  const email = typedEmail.toLowerCase();
  const rows = await selectAccounts(db, { email, mailboxKey });
  const row = rows.find((candidate) => candidate.email === email) ?? rows[0];
  return row ? { ...row, emailVerified: Boolean(row.emailVerified) } : null;
}

export interface SignOnAccount {
  id: string;
  email: string;
  emailVerified: boolean;
  signOnKey: string | null;
}

/** @param column a unique column */
async function findSignOnAccount(
  db: Database,
  column: 'id' | 'signOnKey',
  value: string,
): Promise<SignOnAccount | null> {
  const row = await db
    .selectFrom('accounts')
    .select(['id', 'email', 'emailVerified', 'signOnKey'])
    .where(column, '=', value)
    .executeTakeFirst();
  return row ? { ...row, emailVerified: Boolean(row.emailVerified) } : null;
}

export function findAccountById(db: Database, accountId: string): Promise<SignOnAccount | null> {
  return findSignOnAccount(db, 'id', accountId);
}

export function findAccountBySignOn(
  db: Database,
  signOnKey: string,
): Promise<SignOnAccount | null> {
  return findSignOnAccount(db, 'signOnKey', signOnKey);
}

/** Sets the key of the account. Another account that has the same key loses it. */
export async function setSignOnKey(
  db: DatabaseTransaction,
  accountId: string,
  signOnKey: string,
): Promise<void> {
  const accounts = db.updateTable('accounts');
  await accounts.set({ signOnKey: null }).where('signOnKey', '=', signOnKey).execute();
  await accounts.set({ signOnKey }).where('id', '=', accountId).execute();
}

/** Clears the keys after a change of the server key, which changes all hashes. */
export async function clearSignOnKeys(db: DatabaseTransaction): Promise<void> {
  await db.updateTable('accounts').set({ signOnKey: null }).execute();
}

export async function clearPassword(db: DatabaseTransaction, accountId: string): Promise<void> {
  await db
    .updateTable('credentials')
    .set({ password: null })
    .where('userId', '=', accountId)
    .execute();
}

interface NewAccount extends Address {
  emailVerified: boolean;
  /** Null for an account that signs in through the provider only. */
  passwordHash: string | null;
}

/** Encrypt the values of the account's row. */
export interface AccountRowKeys {
  times: KeyObject;
  settings: KeyObject;
}

/** @returns the id of the account */
export async function addAccount(
  db: DatabaseTransaction,
  keys: AccountRowKeys,
  { email, mailboxKey, emailVerified, passwordHash }: NewAccount,
): Promise<string> {
  const id = createRandomId(24);
  const times = sealTimes(keys.times, timesContext.account(id), {
    createdAt: startOfDay().getTime(),
  });
  await db
    .insertInto('accounts')
    .values({
      id,
      email,
      mailboxKey,
      emailVerified: emailVerified ? sqlTrue : sqlFalse,
      times,
      notifications: sealSettings(keys.settings, id, defaultSettings),
      name: '',
      image: null,
      ...placeholderDates,
    })
    .execute();
  await db
    .insertInto('credentials')
    .values({
      id: createRandomId(24),
      accountId: id,
      providerId: 'credential',
      userId: id,
      password: passwordHash,
      ...placeholderDates,
    })
    .execute();
  return id;
}

export async function markVerified(db: DatabaseTransaction, accountId: string): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ emailVerified: sqlTrue })
    .where('id', '=', accountId)
    .execute();
}

export async function listAddresses(db: Database): Promise<{ id: string; email: string }[]> {
  return db.selectFrom('accounts').select(['id', 'email']).orderBy('id').execute();
}

/**
 * Lists verified accounts first, then the oldest ones.
 *
 * @param timesKey null if the key is lost
 */
export async function listByAge(
  db: Database,
  timesKey: KeyObject | null,
): Promise<{ id: string; email: string }[]> {
  const rows = await db
    .selectFrom('accounts')
    .select(['id', 'email', 'emailVerified', 'times', 'createdAt'])
    .orderBy('id')
    .execute();
  const ages = rows.map((row) => {
    const times = timesKey && decryptTimes(timesKey, timesContext.account(row.id), row);
    return { ...row, isVerified: Boolean(row.emailVerified), createdAt: times?.createdAt ?? 0 };
  });
  return ages.toSorted(
    (a, b) => Number(b.isVerified) - Number(a.isVerified) || a.createdAt - b.createdAt,
  );
}

export interface AccountAddress {
  id: string;
  email: string;
  /** Null if another account has the mailbox. */
  mailboxKey: string | null;
}

/** Lists all accounts in the order of their random ids. */
export async function listMailboxes(db: Database): Promise<AccountAddress[]> {
  return db.selectFrom('accounts').select(['id', 'email', 'mailboxKey']).orderBy('id').execute();
}

/** Lists the accounts with this address, or with this mailbox. */
export async function listWithAddress(
  db: Database,
  { email, mailboxKey }: Address,
): Promise<AccountAddress[]> {
  return db
    .selectFrom('accounts')
    .select(['id', 'email', 'mailboxKey'])
    .where((eb) => eb.or([eb('email', '=', email), eb('mailboxKey', '=', mailboxKey)]))
    .execute();
}

export async function setAddress(
  db: DatabaseTransaction,
  { id, email, mailboxKey }: AccountAddress,
): Promise<void> {
  const changes = { email, mailboxKey };
  await db.updateTable('accounts').set(changes).where('id', '=', id).execute();
}

export async function clearMailboxKeys(db: DatabaseTransaction): Promise<void> {
  await db.updateTable('accounts').set({ mailboxKey: null }).execute();
}

export async function setMailboxKey(
  db: DatabaseTransaction,
  accountId: string,
  key: string,
): Promise<void> {
  await db.updateTable('accounts').set({ mailboxKey: key }).where('id', '=', accountId).execute();
}

// Booleans that work in both engines: SQLite stores numbers.
const sqlTrue = sql<boolean>`(1 = 1)`;
const sqlFalse = sql<boolean>`(1 = 0)`;

/** @returns a hash of `PasswordHashing.hash`; null for an account without a password */
export async function findPassword(db: Database, accountId: string): Promise<string | null> {
  const row = await db
    .selectFrom('credentials')
    .select('password')
    .where('userId', '=', accountId)
    .executeTakeFirst();
  return row?.password ?? null;
}

/** @param passwordHash a hash of `PasswordHashing.hash` */
export async function setPassword(
  db: DatabaseTransaction,
  accountId: string,
  passwordHash: string,
): Promise<void> {
  await db
    .updateTable('credentials')
    .set({ password: passwordHash })
    .where('userId', '=', accountId)
    .execute();
}

export interface StoredPassword {
  id: string;
  password: string;
}

/** Lists the stored passwords that begin with `start`. */
export async function listPasswords(db: Database, start = ''): Promise<StoredPassword[]> {
  return db
    .selectFrom('credentials')
    .select(['id', 'password'])
    .where('password', 'like', `${start}%`)
    .$narrowType<StoredPassword>()
    .orderBy('id')
    .execute();
}

export async function replacePassword(
  db: DatabaseTransaction,
  { id }: Pick<StoredPassword, 'id'>,
  password: string | null,
): Promise<void> {
  await db.updateTable('credentials').set({ password }).where('id', '=', id).execute();
}

/**
 * Consumes a mailed link.
 *
 * @returns whether the link existed
 */
export async function takeLink(db: DatabaseTransaction, linkId: string): Promise<boolean> {
  const deletedRows = await db
    .deleteFrom('verifications')
    .where('id', '=', linkId)
    .returning('id')
    .execute();
  return deletedRows.length > 0;
}

/** Hashes the token of a mailed link to set a password. Only the hash is stored. */
const hashLink = (token: string) => hash('sha256', `reset-password:${token}`, 'base64url');

/** @param link `accountId` is empty if the address has no account */
export async function insertLink(
  db: DatabaseTransaction,
  timesKey: KeyObject,
  link: { token: string; accountId: string; expiresAt: number },
): Promise<void> {
  const identifier = hashLink(link.token);
  const times = { createdAt: startOfDay().getTime(), expiresAt: link.expiresAt };
  await db
    .insertInto('verifications')
    .values({
      id: createRandomId(24),
      identifier,
      value: link.accountId,
      times: sealTimes(timesKey, timesContext.link(identifier), times),
      ...placeholderDatesAndEnd,
    })
    .execute();
}

/** The account of a link that has not expired. */
export async function findLink(
  db: Database,
  timesKey: KeyObject,
  token: string,
): Promise<{ linkId: string; accountId: string; email: string } | null> {
  const identifier = hashLink(token);
  const row = await db
    .selectFrom('verifications')
    .innerJoin('accounts', 'accounts.id', 'verifications.value')
    .select(['verifications.id as linkId', 'accounts.id as accountId', 'email'])
    .select(['verifications.times', 'verifications.createdAt', 'verifications.expiresAt'])
    .where('identifier', '=', identifier)
    .executeTakeFirst();
  if (!row) return null;
  const { linkId, accountId, email } = row;
  const expiresAt = decryptTimes(timesKey, timesContext.link(identifier), row)?.expiresAt ?? 0;
  return expiresAt > Date.now() ? { linkId, accountId, email } : null;
}

/** Invalidates all password links that were mailed to the account. */
export async function revokeLinks(db: DatabaseTransaction, accountId: string): Promise<void> {
  await db.deleteFrom('verifications').where('value', '=', accountId).execute();
}

/** The unverified accounts without a role that were created on or before this day. */
export async function listUnverifiedWithoutRole(
  db: Database,
  timesKey: KeyObject,
  day: Date,
): Promise<string[]> {
  const rows = await selectUnverifiedWithoutRole(db).select(['times', 'createdAt']).execute();
  return rows
    .filter((row) => {
      const times = decryptTimes(timesKey, timesContext.account(row.id), row);
      return times !== null && times.createdAt <= day.getTime();
    })
    .map(({ id }) => id);
}

/** Tells whether the account exists, is not verified, and has no role. */
export async function isUnverifiedWithoutRole(db: Database, accountId: string): Promise<boolean> {
  return (await selectUnverifiedWithoutRole(db).where('id', '=', accountId).execute()).length > 0;
}

function selectUnverifiedWithoutRole(db: Database) {
  return db
    .selectFrom('accounts')
    .select('id')
    .where('emailVerified', '!=', sqlTrue)
    .where(sql<boolean>`not exists (select 1 from roles where "accountId" = accounts.id)`);
}

/** Deletes the account, and its credentials, sessions and roles by cascade. */
export async function deleteAccountRow(db: DatabaseTransaction, accountId: string): Promise<void> {
  await revokeLinks(db, accountId);
  await db.deleteFrom('accounts').where('id', '=', accountId).execute();
}

/** The address of the account; null if the account does not exist or the address is not verified. */
export async function findVerifiedEmail(db: Database, accountId: string): Promise<string | null> {
  const row = await db
    .selectFrom('accounts')
    .select(['email', 'emailVerified'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  return row?.emailVerified ? row.email : null;
}
