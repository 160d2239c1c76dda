import { sql } from 'kysely';
import { randomId } from '../../random-id.ts';
import type { Database, DatabaseTransaction } from '../database.ts';

/** The day on which it was made, or null where there is no such account. */
export async function findCreatedAt(db: Database, accountId: string): Promise<Date | null> {
  const row = await db
    .selectFrom('accounts')
    .select('createdAt')
    .where('id', '=', accountId)
    .executeTakeFirst();
  return row ? new Date(row.createdAt) : null;
}

export async function listAccountIds(db: Database): Promise<string[]> {
  const rows = await db.selectFrom('accounts').select('id').execute();
  return rows.map(({ id }) => id);
}

/** How an account is asked for: by its address as it was typed, or by the mailbox. */
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

/** The account with just this address, else the one that has its mailbox. */
export async function findAccount(
  db: Database,
  { email, mailboxKey }: Address,
): Promise<FoundAccount | null> {
  const rows = await db
    .selectFrom('accounts')
    .leftJoin('credentials', 'credentials.userId', 'accounts.id')
    .select(['accounts.id', 'email', 'emailVerified', 'password as passwordHash'])
    .where((where) =>
      where.or([where('email', '=', email.toLowerCase()), where('mailboxKey', '=', mailboxKey)]),
    )
    .execute();
  const row = rows.find((each) => each.email === email.toLowerCase()) ?? rows[0];
  return row ? { ...row, emailVerified: Boolean(row.emailVerified) } : null;
}

/** Verified, with one password. */
export async function addAccount(
  db: DatabaseTransaction,
  { email, mailboxKey }: Address,
  passwordHash: string,
  day: Date,
): Promise<void> {
  const id = randomId(24);
  const times = { createdAt: day.toISOString(), updatedAt: day.toISOString() };
  await db
    .insertInto('accounts')
    .values({ id, email, mailboxKey, emailVerified: yes, name: '', image: null, ...times })
    .execute();
  await db
    .insertInto('credentials')
    .values({
      ...{ id: randomId(24), accountId: id, providerId: 'credential', userId: id },
      ...{ password: passwordHash, ...times },
    })
    .execute();
}

export async function markVerified(db: DatabaseTransaction, accountId: string): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ emailVerified: yes })
    .where('id', '=', accountId)
    .execute();
}

/** The verified ones first, then the oldest. */
export async function listAddresses(db: Database): Promise<{ id: string; email: string }[]> {
  return db
    .selectFrom('accounts')
    .select(['id', 'email'])
    .orderBy('emailVerified', 'desc')
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
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

/** A boolean of either engine: SQLite's is a number. */
const yes = sql<boolean>`(1 = 1)`;

/** @param passwordHash made by argon2id */
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

/** Uses up a mailed link. @returns whether it was there */
export async function takeLink(db: DatabaseTransaction, linkId: string): Promise<boolean> {
  const taken = await db
    .deleteFrom('verifications')
    .where('id', '=', linkId)
    .returning('id')
    .execute();
  return taken.length > 0;
}

/** No link that was mailed to the account sets a password any more. */
export async function revokeLinks(db: DatabaseTransaction, accountId: string): Promise<void> {
  await db.deleteFrom('verifications').where('value', '=', accountId).execute();
}

/** With its credentials, sessions and enrolments, which hang on it. */
export async function deleteAccountRow(db: DatabaseTransaction, accountId: string): Promise<void> {
  await revokeLinks(db, accountId);
  await db.deleteFrom('accounts').where('id', '=', accountId).execute();
}
