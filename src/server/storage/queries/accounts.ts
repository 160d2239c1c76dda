import { sql } from 'kysely';
import type { Reader, Writer } from '../database.ts';

/** The day on which it was made, or null where there is no such account. */
export async function findCreatedAt(db: Reader, accountId: string): Promise<Date | null> {
  const row = await db
    .selectFrom('accounts')
    .select('createdAt')
    .where('id', '=', accountId)
    .executeTakeFirst();
  return row ? new Date(row.createdAt) : null;
}

export async function listAccountIds(db: Reader): Promise<string[]> {
  const rows = await db.selectFrom('accounts').select('id').execute();
  return rows.map(({ id }) => id);
}

/** Null where there is no such account. */
export async function findPasswordHash(db: Reader, email: string): Promise<string | null> {
  const row = await db
    .selectFrom('accounts')
    .innerJoin('credentials', 'credentials.userId', 'accounts.id')
    .select('credentials.password')
    .where('accounts.email', '=', email.toLowerCase())
    .executeTakeFirst();
  return row?.password ?? null;
}

/** @param passwordHash made by argon2id */
export async function setPassword(
  db: Writer,
  accountId: string,
  passwordHash: string,
): Promise<void> {
  await db
    .updateTable('credentials')
    .set({ password: passwordHash })
    .where('userId', '=', accountId)
    .execute();
}

export async function setEmailVerified(db: Writer, accountId: string): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ emailVerified: sql`true` })
    .where('id', '=', accountId)
    .execute();
}

/** Uses up a mailed link. @returns whether it was there */
export async function takeLink(db: Writer, linkId: string): Promise<boolean> {
  const taken = await db
    .deleteFrom('verifications')
    .where('id', '=', linkId)
    .returning('id')
    .execute();
  return taken.length > 0;
}

/** No link that was mailed to the account sets a password any more. */
export async function withdrawLinks(db: Writer, accountId: string): Promise<void> {
  await db.deleteFrom('verifications').where('value', '=', accountId).execute();
}

/** With its credentials, sessions and enrolments, which hang on it. */
export async function deleteAccountRow(db: Writer, accountId: string): Promise<void> {
  await withdrawLinks(db, accountId);
  await db.deleteFrom('accounts').where('id', '=', accountId).execute();
}
