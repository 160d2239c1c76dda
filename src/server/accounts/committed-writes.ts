// better-auth's writes go through the commit queue. The queue retries while another program locks the
// database, throws UNAVAILABLE if nothing can be saved, and commits a sign-up as one transaction.
import { generateId } from 'better-auth';
import type { getAdapter } from 'better-auth/db/adapter';
import { AppError } from '#contract/errors.ts';
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { DatabaseTransaction } from '../storage/database.ts';

type Adapter = Awaited<ReturnType<typeof getAdapter>>;
type Inside = Omit<Adapter, 'transaction'>;

interface Parts {
  /** For reads outside a transaction. */
  adapter: Adapter;
  adapterOn(db: DatabaseTransaction): Promise<Adapter>;
  commits: CommitQueue;
}

export function withCommittedWrites({ adapter, adapterOn, commits }: Parts): Adapter {
  function commit<Result>(write: (inside: Adapter) => Promise<Result>): Promise<Result> {
    return commits.write(async ({ db }) => write(await adapterOn(db)));
  }

  /**
   * Collects new rows while the work runs, then inserts them in one commit. The work hashes a password,
   * and a transaction must not stay open that long.
   */
  async function inOneCommit<Result>(work: (inside: Inside) => Promise<Result>): Promise<Result> {
    const writes: ((inside: Adapter) => Promise<unknown>)[] = [];
    const create = async (query: Parameters<Adapter['create']>[0]) => {
      const row = { id: generateId(), ...query.data };
      writes.push(async (inside) => {
        if (query.model === 'user') await checkNotTaken(inside, row);
        await inside.create({ ...query, data: row, forceAllowId: true });
      });
      return row;
    };
    const inside = { ...committed, create } as Inside;
    const result = await work(inside);
    if (writes.length > 0) {
      await commit(async (inTransaction) => {
        for (const write of writes) await write(inTransaction);
      });
    }
    return result;
  }

  const committed: Adapter = {
    ...adapter,
    create: (query) => commit((inside) => inside.create(query)) as never,
    update: (query) => commit((inside) => inside.update(query)) as never,
    updateMany: (query) => commit((inside) => inside.updateMany(query)),
    delete: (query) => commit((inside) => inside.delete(query)),
    deleteMany: (query) => commit((inside) => inside.deleteMany(query)),
    consumeOne: (query) => commit((inside) => inside.consumeOne(query)) as never,
    incrementOne: (query) => commit((inside) => inside.incrementOne(query)) as never,
    transaction: inOneCommit,
  };
  return committed;
}

/** Two concurrent sign-ups can both find the address free, so the transaction checks again. */
async function checkNotTaken(inside: Adapter, row: Record<string, unknown>): Promise<void> {
  for (const field of ['email', 'mailboxKey']) {
    const where = [{ field, value: String(row[field]) }];
    if (await inside.findOne({ model: 'user', where })) throw new AppError('EMAIL_TAKEN');
  }
}
