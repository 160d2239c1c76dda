// What works once: the token of a login at a learning platform, an invitation, a challenge of the second factor, the link to a copy
// of the data. Rows are hashes, and name no one. The name of the table is from an earlier version.
import { hashToken } from '#server/base/random-id.ts';
import type { DatabaseTransaction } from './tables.ts';

const hourMs = 60 * 60_000;

/**
 * @param maxAgeMs after which the token no longer works anyway
 * @returns false if the token was used before
 */
export async function spendToken(
  db: DatabaseTransaction,
  token: string,
  maxAgeMs = hourMs,
): Promise<boolean> {
  await db.deleteFrom('ltiUsedTokens').where('expiresAt', '<', Date.now()).execute();
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('ltiUsedTokens')
    .values({ hash: hashToken(token), expiresAt: getCoarseExpiry(maxAgeMs) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Rounds up to the hour, because a finer time would tell when someone came. */
export function getCoarseExpiry(maxAgeMs = hourMs): number {
  return Math.ceil((Date.now() + maxAgeMs) / hourMs) * hourMs;
}
