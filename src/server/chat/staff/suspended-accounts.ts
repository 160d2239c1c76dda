// Knows which accounts are suspended. The suspensions are in memory, because each request checks them.
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { listSuspensions } from './suspensions-queries.ts';
import {
  hashAccount,
  toAccountHashes,
  isInForce,
  decryptSuspension,
  type SuspendedAccountKeys,
  type SuspendableAccount,
  type Suspension,
} from './suspensions.ts';

export interface SuspendedAccounts {
  isSuspended(account: SuspendableAccount): boolean;
  /** Tells whether the account with this id is suspended, for open sockets. */
  isIdSuspended(accountId: string): boolean;
  /** The account's suspensions, also those that have ended, until their link to the account is erased. */
  listSuspensions(account: SuspendableAccount): Suspension[];
  /**
   * Checks in a commit. It reads the suspensions only if the commit sees a change event that this server has not followed yet.
   *
   * @param lastEvent the seq of the last change event that the commit sees
   */
  isSuspendedInCommit(
    db: DatabaseTransaction,
    account: SuspendableAccount,
    lastEvent: number,
  ): Promise<boolean>;
  /** Loads the suspensions again, because some were added, lifted or erased. */
  load(): Promise<void>;
  /** Records that the memory has every suspension up to this change event. */
  recordFollowed(seq: number): void;
}

export async function createSuspendedAccounts(
  db: Database,
  keys: SuspendedAccountKeys,
): Promise<SuspendedAccounts> {
  let suspensions: Suspension[] = [];
  let followedEvent = 0;
  let loadCount = 0;

  async function list(database: Database): Promise<Suspension[]> {
    return (await listSuspensions(database)).map((row) => decryptSuspension(keys.contents, row));
  }

  function select(candidates: readonly Suspension[], account: SuspendableAccount): Suspension[] {
    if (candidates.length === 0) return [];
    const hashes = toAccountHashes(keys, account);
    return candidates.filter(
      ({ holder }) => holder?.account === hashes.account || holder?.mailbox === hashes.mailbox,
    );
  }

  async function load(): Promise<void> {
    loadCount += 1;
    const loadNumber = loadCount;
    const loadedSuspensions = await list(db);
    // A later call has newer suspensions.
    if (loadCount === loadNumber) suspensions = loadedSuspensions;
  }

  await load();
  return {
    listSuspensions: (account) => select(suspensions, account),
    load,
    isSuspended: (account) => select(suspensions, account).some(isInForce),
    async isSuspendedInCommit(tx, account, lastEvent) {
      const currentSuspensions = lastEvent > followedEvent ? await list(tx) : suspensions;
      return select(currentSuspensions, account).some(isInForce);
    },
    recordFollowed: (seq) => void (followedEvent = seq),
    isIdSuspended(accountId) {
      const accountHash = hashAccount(keys.ids, 'account', accountId);
      return suspensions.some(
        (suspension) => suspension.holder?.account === accountHash && isInForce(suspension),
      );
    },
  };
}

interface Sessions<Account> {
  authenticate(cookies: string | null): Promise<Account | null>;
}

/** Authenticates only accounts that are not suspended. A suspended account gets no files and no socket. */
export function hideSuspended<Account extends SuspendableAccount>(
  sessions: Sessions<Account>,
  { isSuspended }: Pick<SuspendedAccounts, 'isSuspended'>,
): Sessions<Account> {
  return {
    async authenticate(cookies) {
      const account = await sessions.authenticate(cookies);
      return account && isSuspended(account) ? null : account;
    },
  };
}
