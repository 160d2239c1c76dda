// Who a cookie belongs to, kept for a moment: reading it anew takes longer than most calls.
import { LRUCache } from 'lru-cache';
import type { Account } from './accounts.ts';

export interface KnownAccounts {
  of(headers: Headers): Promise<Account | null>;
  /** A session of this server has ended: all are read anew. */
  forget(): void;
}

const most = 10_000;
/** A session that was ended by another process works no longer than this. */
const keptMs = 1000;

/** @param read looks into the database */
export function createKnownAccounts(
  read: (headers: Headers) => Promise<Account | null>,
): KnownAccounts {
  const known = new LRUCache<string, Account>({ max: most, ttl: keptMs });
  return {
    async of(headers) {
      const cookie = headers.get('cookie');
      if (!cookie) return null;
      const kept = known.get(cookie);
      if (kept && kept.expiresAt.getTime() > Date.now()) return kept;
      const account = await read(headers);
      if (account) known.set(cookie, account);
      return account;
    },
    forget: () => known.clear(),
  };
}
