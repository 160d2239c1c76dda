// better-auth's writes go through the commit queue. The queue retries while another program locks the
// database, throws UNAVAILABLE if nothing can be saved, and commits a sign-up as one transaction.
import { generateId } from 'better-auth';
import type { getAdapter } from 'better-auth/db/adapter';
import { AppError } from '#contract/errors.ts';
import type { Scope } from '#server/store/commit-locks.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/unit-of-work.ts';

type Where = Parameters<Adapter['delete']>[0]['where'][number];
type Adapter = Awaited<ReturnType<typeof getAdapter>>;
type TransactionAdapter = Omit<Adapter, 'transaction'>;

interface Parts {
  /** Reads outside a transaction. */
  adapter: Adapter;
  adapterOn(db: DatabaseTransaction): Promise<Adapter>;
  commits: CommitQueue;
}

export function withCommittedWrites({ adapter, adapterOn, commits }: Parts): Adapter {
  function commit<Result>(
    write: (tx: Adapter, unitOfWork: UnitOfWork) => Promise<Result>,
    scope: Scope = 'nothing',
  ): Promise<Result> {
    return commits.write(
      async (unitOfWork) => write(await adapterOn(unitOfWork.db), unitOfWork),
      scope,
    );
  }

  /** The sockets of a session end with it. */
  function deleteRows<Result>(
    query: { model: string; where: Where[] },
    write: (tx: Adapter) => Promise<Result>,
  ): Promise<Result> {
    return commit(async (tx, { follow }) => {
      const ended =
        query.model === 'session' ? await tx.findMany<{ id: string; userId: string }>(query) : [];
      const result = await write(tx);
      for (const { id, userId: accountId } of ended) {
        follow({ kind: 'sessionsEnded', accountId, sessionIds: [id] });
      }
      return result;
    });
  }

  /**
   * Collects new rows while the work runs, then inserts them in one commit, so that no transaction is open
   * during the work.
   */
  async function inOneCommit<Result>(
    work: (tx: TransactionAdapter) => Promise<Result>,
  ): Promise<Result> {
    const deferredWrites: ((tx: Adapter) => Promise<unknown>)[] = [];
    const create = async (query: Parameters<Adapter['create']>[0]) => {
      const row = { id: generateId(), ...query.data };
      deferredWrites.push(async (tx) => {
        if (query.model === 'user') await checkNotTaken(tx, row);
        await tx.create({ ...query, data: row, forceAllowId: true });
      });
      return row;
    };
    const result = await work({ ...committed, create } as TransactionAdapter);
    if (deferredWrites.length > 0) {
      await commit(async (tx) => {
        for (const write of deferredWrites) await write(tx);
      }, 'allAccounts');
    }
    return result;
  }

  const committed: Adapter = {
    ...adapter,
    create: (query) => commit((tx) => tx.create(query), scopeOf(query.data)) as never,
    update: (query) => commit((tx) => tx.update(query), scopeOfUpdate(query)) as never,
    updateMany: (query) => commit((tx) => tx.updateMany(query), scopeOfUpdate(query)),
    delete: (query) => deleteRows(query, (tx) => tx.delete(query)),
    deleteMany: (query) => deleteRows(query, (tx) => tx.deleteMany(query)),
    consumeOne: (query) => commit((tx) => tx.consumeOne(query)) as never,
    incrementOne: (query) => commit((tx) => tx.incrementOne(query)) as never,
    transaction: inOneCommit,
  };
  return committed;
}

/** A sign-in and the deletion of its account follow each other. */
function scopeOf({ userId }: Record<string, unknown>): Scope {
  return typeof userId === 'string' ? { accountId: userId } : 'nothing';
}

/** An update and the daily sealing of the rows follow each other. A session is named by its token. */
function scopeOfUpdate({ model, where }: { model: string; where: Where[] }): Scope {
  const accountField = model === 'user' ? 'id' : 'userId';
  const accountId = where.find(({ field }) => field === accountField)?.value;
  return typeof accountId === 'string' ? { accountId } : 'allAccounts';
}

/** Two concurrent sign-ups can both find the address free, so the transaction checks again. */
async function checkNotTaken(tx: Adapter, row: Record<string, unknown>): Promise<void> {
  for (const field of ['email', 'mailboxKey']) {
    const where = [{ field, value: String(row[field]) }];
    if (await tx.findOne({ model: 'user', where })) throw new AppError('EMAIL_TAKEN');
  }
}
