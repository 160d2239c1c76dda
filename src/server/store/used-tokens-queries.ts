// What works once: the token of a login at a learning platform, an invitation, a challenge of the second factor. Rows are hashes, and
// name no one. The name of the table is from an earlier version.
import { createHash } from 'node:crypto';
import type { DatabaseTransaction } from './tables.ts';

const hourMs = 60 * 60_000;

/** @returns false if the token was used before. By default, it must expire by itself within an hour. */
export async function spendToken(
  db: DatabaseTransaction,
  token: string,
  expiresAt = getCoarseExpiry(),
): Promise<boolean> {
  await db.deleteFrom('ltiUsedTokens').where('expiresAt', '<', Date.now()).execute();
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('ltiUsedTokens')
    .values({ hash: hashToken(token), expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** At least an hour from now. A finer time would tell when someone came. */
export function getCoarseExpiry(): number {
  return (Math.ceil(Date.now() / hourMs) + 1) * hourMs;
}
