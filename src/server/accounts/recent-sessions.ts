// Caches for a second to which account a request's cookies belong, because browsers send requests in bursts.
import { hash } from 'node:crypto';
import { createRecentMap } from '#server/base/recent-map.ts';
import type { Account } from '#server/http/caller.ts';

export interface RecentSessions {
  /**
   * Returns the account of the session cookie in a request's `Cookie` header, or null.
   *
   * @param readAccount reads the session from the database
   */
  authenticate(
    cookies: string | null,
    readAccount: (cookies: string) => Promise<Account | null>,
  ): Promise<Account | null>;
  /** Call this when any session ends. */
  clear(): void;
}

/** The longest time that a session still counts after it ended without `clear`, such as by a commit whose reply was lost. */
const maxAgeMs = 1000; // AUTH-18
const maxSessions = 10_000;

export function createRecentSessions(): RecentSessions {
  // The keys are hashes, so that the memory holds no usable cookie longer than its request.
  const accounts = createRecentMap<{ account: Account; readAt: number }>(maxSessions);
  let clearCount = 0;

  return {
    async authenticate(cookies, readAccount) {
      if (cookies === null) return null;
      const key = hash('sha256', cookies, 'base64url');
      const readAt = performance.now();
      const session = accounts.get(key);
      if (session && readAt - session.readAt < maxAgeMs && isValid(session.account)) {
        return session.account;
      }
      const previousClearCount = clearCount;
      const account = await readAccount(cookies);
      // A session that ended during the read is not remembered.
      if (account && clearCount === previousClearCount) accounts.set(key, { account, readAt });
      return account;
    },
    clear() {
      clearCount += 1;
      accounts.clear();
    },
  };
}

function isValid({ expiresAt }: Account): boolean {
  return expiresAt.getTime() > Date.now();
}
