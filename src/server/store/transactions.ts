// The transactions of commit queues, on both engines. On PostgreSQL, `begin`, the locks and the transaction's id take one round
// trip, and the server can ask for the outcome of a commit whose reply was lost (decisions 20 and 63).
import { sql, type Kysely } from 'kysely';
import { getErrorCode } from '#server/base/startup-failure.ts';
import { listLocks, mergeLocks, type CommitLock, type Scope } from './commit-locks.ts';
import type { DatabaseTransaction, Tables } from './tables.ts';
import { isRejectedByServer } from './storage-errors.ts';

/** @param isFree tells whether the transaction has all locks of the change with this index */
type Work<Result> = (
  transaction: DatabaseTransaction,
  isFree: (index: number) => boolean,
) => Promise<Result>;

export interface Transactions {
  /**
   * Runs the work in a transaction with the locks of all scopes.
   *
   * @param canWait false to continue without the locks that other transactions hold
   * @throws {LostCommitError} if the reply to the commit was lost
   */
  run<Result>(scopes: readonly Scope[], canWait: boolean, work: Work<Result>): Promise<Result>;
  /** @throws if the database does not respond */
  findOutcome(lost: TransactionId): Promise<'committed' | 'aborted' | 'in progress' | 'unknown'>;
}

export interface TransactionId {
  xid: string;
  /** When this PostgreSQL started: after a crash or a failover, the xid may belong to another transaction. */
  startedAt: string;
}

/** The reply to a commit was lost, so PostgreSQL may have committed or not. */
export class LostCommitError extends Error {
  override name = 'LostCommitError';
  readonly transaction: TransactionId;

  constructor(transaction: TransactionId, cause: unknown) {
    super('The reply to a commit was lost.', { cause });
    this.transaction = transaction;
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
const lockTimeoutMs = 200; // NODE-14
/** The timeout after a first wait, because each change of a batch may wait for another row. */
const shortLockTimeoutMs = 10;

export function createSqliteTransactions(db: Kysely<Tables>): Transactions {
  return {
    run: (_scopes, _canWait, work) =>
      db.transaction().execute((transaction) => work(transaction, () => true)),
    findOutcome: async () => 'unknown',
  };
}

export function createPostgresTransactions(db: Kysely<Tables>): Transactions {
  return {
    run: (scopes, canWait, work) =>
      db.connection().execute(async (connection) => {
        const rollBack = () => sql`rollback`.execute(connection).catch(() => {});
        const requestedLocks = scopes.map(listLocks);
        let transaction: BegunTransaction;
        let result;
        try {
          transaction = await begin(connection, requestedLocks.flat(), canWait);
          const isFree = (index: number) =>
            requestedLocks[index]?.every((lock) => transaction.has(lock)) ?? false;
          // The cast is right, because everything runs on one connection, as in a transaction of Kysely.
          result = await work(connection as DatabaseTransaction, isFree);
        } catch (error) {
          await rollBack();
          throw error;
        }
        try {
          await commit(connection);
        } catch (error) {
          await rollBack();
          throw isRejectedByServer(error) ? error : new LostCommitError(transaction.id, error);
        }
        return result;
      }),
    async findOutcome({ xid, startedAt }) {
      const { rows } = await sql<{ status: 'committed' | 'aborted' | 'in progress' | null }>`
        select case when ${serverStart} = ${startedAt} then pg_xact_status(${xid}::xid8) end as status
      `.execute(db);
      return rows[0]?.status ?? 'unknown';
    },
  };
}

const serverStart = sql`extract(epoch from pg_postmaster_start_time())::text`;

interface BegunTransaction {
  id: TransactionId;
  has(lock: CommitLock): boolean;
}

/** @throws an error with the code 55P03 if `canWait` is true, and another transaction holds one of the locks for too long */
async function begin(
  connection: Kysely<Tables>,
  requestedLocks: readonly CommitLock[],
  canWait: boolean,
): Promise<BegunTransaction> {
  // Without waiting, each lock is tried in both modes: one that cannot be acquired exclusively may be free for a change that
  // shares it.
  const locks = canWait
    ? mergeLocks(requestedLocks)
    : [...new Map(requestedLocks.map((lock) => [formatLock(lock), lock])).values()];
  const calls = locks.map(
    ({ key, isShared }, n) =>
      `pg_${canWait ? '' : 'try_'}advisory_xact_lock${isShared ? '_shared' : ''}(${key}) as "lock${n}"`,
  );
  const columns = [
    `set_config('lock_timeout', '${canWait ? lockTimeoutMs : shortLockTimeoutMs}', true)`,
    `pg_try_advisory_xact_lock_shared(${fenceLock}) as "isAdmitted"`,
    'pg_current_xact_id()::text as xid',
    `extract(epoch from pg_postmaster_start_time())::text as "startedAt"`,
    ...calls,
  ];
  const { rows } = await sql<
    TransactionId & { isAdmitted: boolean } & Record<string, unknown>
  >`${sql.raw(`begin; select ${columns.join(', ')}`)}`.execute(connection);
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL has not begun the transaction.');
  if (!row.isAdmitted) throw new FencedError('Another program uses the database alone.');
  const { xid, startedAt } = row;
  const heldLocks = new Set(
    locks.flatMap((lock, n) => (row[`lock${n}`] === false ? [] : [formatLock(lock)])),
  );
  const has = (lock: CommitLock) => canWait || heldLocks.has(formatLock(lock));
  return { id: { xid, startedAt }, has };
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

export const isLockTimeout = (error: unknown): boolean => getErrorCode(error) === '55P03';
