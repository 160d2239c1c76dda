// Which accounts are suspended, in memory: each request asks.
import type { Database } from '#server/store/tables.ts';
import { listSuspensions, type SuspensionRow } from './suspensions-queries.ts';
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
  /** After a commit of this server. */
  replace(rows: readonly SuspensionRow[]): void;
  /** Another server may have added, lifted or erased suspensions. */
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

  /** A read that a newer one or a commit has overtaken is dropped. */
  let changes = 0;

  function replace(rows: readonly SuspensionRow[]): void {
    changes += 1;
    suspensions = rows.map((row) => readSuspension(keys.contents, row));
  }

  async function load(): Promise<void> {
    changes += 1;
    const before = changes;
    const rows = await listSuspensions(db);
    if (changes === before) replace(rows);
  }

  await load();
  return {
    of,
    replace,
    load,
    isSuspended: (account) => of(account).some(isInForce),
    isSuspendedId(accountId) {
      const own = hashOf(keys.ids, 'account', accountId);
      return suspensions.some((one) => one.holder?.account === own && isInForce(one));
    },
  };
}
