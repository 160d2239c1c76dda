// Which accounts are suspended, in memory: each request asks.
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
  /** Whether the account of an open socket is suspended. */
  isIdSuspended(accountId: string): boolean;
  /** The account's suspensions, also those that have ended, until their link to the account is erased. */
  listSuspensions(account: SuspendableAccount): Suspension[];
  /**
   * Checks in a commit. It reads the suspensions only if this server has not followed every change event that the commit sees.
   *
   * @param lastEvent the seq of the last one
   */
  isSuspendedInCommit(
    db: DatabaseTransaction,
    account: SuspendableAccount,
    lastEvent: number,
  ): Promise<boolean>;
  /** Reads them again, because some were added, lifted or erased. */
  load(): Promise<void>;
  /** The memory has every suspension up to this change event. */
  recordFollowed(seq: number): void;
}

export async function createSuspendedAccounts(
  db: Database,
  keys: SuspendedAccountKeys,
): Promise<SuspendedAccounts> {
  let suspensions: Suspension[] = [];
  let followedEvent = 0;
  let loads = 0;

  async function list(from: Database): Promise<Suspension[]> {
    return (await listSuspensions(from)).map((row) => decryptSuspension(keys.contents, row));
  }

  function select(from: readonly Suspension[], account: SuspendableAccount): Suspension[] {
    if (from.length === 0) return [];
    const hashes = toAccountHashes(keys, account);
    return from.filter(
      ({ holder }) => holder?.account === hashes.account || holder?.mailbox === hashes.mailbox,
    );
  }

  async function load(): Promise<void> {
    loads += 1;
    const loadNumber = loads;
    const loadedSuspensions = await list(db);
    // A newer call has overtaken this one.
    if (loads === loadNumber) suspensions = loadedSuspensions;
  }

  await load();
  return {
    listSuspensions: (account) => select(suspensions, account),
    load,
    isSuspended: (account) => select(suspensions, account).some(isInForce),
    async isSuspendedInCommit(tx, account, lastEvent) {
      const current = lastEvent > followedEvent ? await list(tx) : suspensions;
      return select(current, account).some(isInForce);
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

interface Sessions<Found> {
  authenticate(cookies: string | null): Promise<Found | null>;
}

/** Answers null for a suspended account: it gets no files and no socket. */
export function hideSuspended<Found extends SuspendableAccount>(
  sessions: Sessions<Found>,
  { isSuspended }: Pick<SuspendedAccounts, 'isSuspended'>,
): Sessions<Found> {
  return {
    async authenticate(cookies) {
      const account = await sessions.authenticate(cookies);
      return account && isSuspended(account) ? null : account;
    },
  };
}
