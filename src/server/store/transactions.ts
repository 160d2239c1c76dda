// The transactions of commit queues, on both engines. On PostgreSQL, `begin`, the receipt of the commit and the locks take one
// round trip, and the receipt tells the outcome of a commit whose reply was lost (decisions 20 and 63).
import { sql, type Kysely } from 'kysely';
import { createRandomId } from '#server/base/random-id.ts';
import { listLocks, mergeLocks, type CommitLock, type Scope } from './commit-locks.ts';
import {
  createReceipt,
  formatSaveReceipt,
  isReceiptSaved,
  type Receipt,
} from './commit-receipts-queries.ts';
import type { DatabaseTransaction, Tables } from './tables.ts';
import { isConnectionLost, isRejectedByServer } from './storage-errors.ts';

/** Tells whether the transaction has all locks of the change with this index. */
type IsFree = (index: number) => boolean;

/**
 * Runs the work in a transaction with the locks of all scopes.
 *
 * @param canWait false to continue without the locks that other transactions hold
 * @throws {LostCommitError} if the reply to the commit was lost
 */
export type RunTransaction = (
  scopes: readonly Scope[],
  canWait: boolean,
  work: (transaction: DatabaseTransaction, isFree: IsFree) => Promise<void>,
) => Promise<void>;

/** The reply to a commit was lost, so PostgreSQL may have committed or not. */
export class LostCommitError extends Error {
  override name = 'LostCommitError';
  /** @throws if PostgreSQL does not know it yet */
  readonly isCommitted: () => Promise<boolean>;

  constructor(isCommitted: () => Promise<boolean>, cause: unknown) {
    super('The reply to a commit was lost.', { cause });
    this.isCommitted = isCommitted;
  }
}

/** A restore or a change of the server key uses the database alone, and this server has not noticed yet. */
class FencedError extends Error {
  override name = 'FencedError';
  readonly code = '55006';
}

/**
 * An advisory lock. Programs that use the database alone hold it exclusively, and each commit holds it shared. So a server that
 * has lost its database lock writes nothing into a restore.
 */
export const fenceLock = 0x66656e63;

/** A frozen server may hold a lock for ten seconds. A change that waits for the lock must not delay other changes for long. */
const lockTimeoutMs = 200; // LOG-86
/** The timeout after a first wait, because each change of a batch may wait for another row. */
const shortLockTimeoutMs = 10;

export function createSqliteTransactions(db: Kysely<Tables>): RunTransaction {
  return (_scopes, _canWait, work) =>
    db.transaction().execute((transaction) => work(transaction, () => true));
}

export function createPostgresTransactions(db: Kysely<Tables>): RunTransaction {
  let queue = createRandomId();
  return (scopes, canWait, work) =>
    db.connection().execute(async (connection) => {
      const rollBack = () => sql`rollback`.execute(connection).catch(() => {});
      const receipt = createReceipt(queue);
      try {
        const isFree = await begin(connection, receipt, scopes.map(listLocks), canWait);
        // The cast is right, because everything runs on one connection, as in a transaction of Kysely.
        await work(connection as DatabaseTransaction, isFree);
      } catch (error) {
        await rollBack();
        // PostgreSQL may hold the transaction open for some seconds, and with it the row of its receipt.
        if (isConnectionLost(error)) queue = createRandomId();
        throw error;
      }
      try {
        await commit(connection);
      } catch (error) {
        await rollBack();
        if (isRejectedByServer(error)) throw error;
        throw new LostCommitError(() => isReceiptSaved(db, receipt), error);
      }
    });
}

/** @throws an error with the code 55P03 if `canWait` is true, and another transaction holds one of the locks for too long */
async function begin(
  connection: Kysely<Tables>,
  receipt: Receipt,
  requestedLocks: readonly CommitLock[][],
  canWait: boolean,
): Promise<IsFree> {
  // Without waiting, each lock is tried in both modes: one that cannot be acquired exclusively may be free for a change that
  // shares it.
  const locks = canWait
    ? mergeLocks(requestedLocks.flat())
    : [...new Map(requestedLocks.flat().map((lock) => [formatLock(lock), lock])).values()];
  const calls = locks.map(
    ({ key, isShared }, n) =>
      `pg_${canWait ? '' : 'try_'}advisory_xact_lock${isShared ? '_shared' : ''}(${key}) as "lock${n}"`,
  );
  const columns = [
    `set_config('lock_timeout', '${canWait ? lockTimeoutMs : shortLockTimeoutMs}', true)`,
    `pg_try_advisory_xact_lock_shared(${fenceLock}) as "isAdmitted"`,
    ...calls,
  ];
  const statements = ['begin', formatSaveReceipt(receipt), `select ${columns.join(', ')}`];
  const { rows } = await sql
    .raw<{ isAdmitted: boolean } & Record<string, unknown>>(statements.join('; '))
    .execute(connection);
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL has not begun the transaction.');
  if (!row.isAdmitted) throw new FencedError('Another program uses the database alone.');
  const missingLocks = new Set(
    locks.filter((_, n) => row[`lock${n}`] === false).map((lock) => formatLock(lock)),
  );
  return (index) =>
    requestedLocks[index]?.every((lock) => !missingLocks.has(formatLock(lock))) ?? false;
}

const formatLock = ({ key, isShared }: CommitLock) => `${key} ${isShared}`;

async function commit(connection: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ command: string }>`commit`.execute(connection);
  if (rows[0]?.command === 'ROLLBACK') {
    throw Object.assign(new Error('PostgreSQL rolled the transaction back.'), {
      code: '25P02',
      severity: 'ERROR',
    });
  }
}
