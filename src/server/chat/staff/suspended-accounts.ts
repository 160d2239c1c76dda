// Which accounts are suspended, in memory: each request asks.
import type { Database } from '#server/store/tables.ts';
import { listSuspensions } from './suspensions-queries.ts';
import {
  hashOf,
  holderOf,
  isInForce,
  readSuspension,
  type HolderKeys,
  type SuspendableAccount,
  type Suspension,
} from './suspensions.ts';

export interface SuspendedAccounts {
  isSuspended(account: SuspendableAccount): boolean;
  /** For an open socket. */
  isSuspendedId(accountId: string): boolean;
  /** The account's suspensions, also those that have ended, until their link to the account is erased. */
  of(account: SuspendableAccount): Suspension[];
  /** Reads them again, because some were added, lifted or erased. */
  load(): Promise<void>;
}

export async function createSuspendedAccounts(
  db: Database,
  keys: HolderKeys,
): Promise<SuspendedAccounts> {
  let suspensions: Suspension[] = [];

  function of(account: SuspendableAccount): Suspension[] {
    if (suspensions.length === 0) return [];
    const own = holderOf(keys, account);
    return suspensions.filter(
      ({ holder }) => holder?.account === own.account || holder?.mailbox === own.mailbox,
    );
  }

  let loads = 0;

  async function load(): Promise<void> {
    loads += 1;
    const before = loads;
    const rows = await listSuspensions(db);
    // A newer call has overtaken this one.
    if (loads !== before) return;
    suspensions = rows.map((row) => readSuspension(keys.contents, row));
  }

  await load();
  return {
    of,
    load,
    isSuspended: (account) => of(account).some(isInForce),
    isSuspendedId(accountId) {
      const own = hashOf(keys.ids, 'account', accountId);
      return suspensions.some((one) => one.holder?.account === own && isInForce(one));
    },
  };
}

interface Sessions<Found> {
  accountOf(cookies: string | null): Promise<Found | null>;
}

/** Answers null for a suspended account: it gets no files and no socket. */
export function hideSuspended<Found extends SuspendableAccount>(
  sessions: Sessions<Found>,
  { isSuspended }: Pick<SuspendedAccounts, 'isSuspended'>,
): Sessions<Found> {
  return {
    async accountOf(cookies) {
      const account = await sessions.accountOf(cookies);
      return account && isSuspended(account) ? null : account;
    },
  };
}
