// What better-auth writes goes through a commit queue: it is tried again while another program holds the
// database, refused as UNAVAILABLE if nothing can be saved, and a sign-up is one transaction.
import { generateId } from 'better-auth';
import type { getAdapter } from 'better-auth/db/adapter';
import { Refusal } from '#contract/errors.ts';
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Writer } from '../storage/database.ts';

type Adapter = Awaited<ReturnType<typeof getAdapter>>;
type Inside = Omit<Adapter, 'transaction'>;

interface Parts {
  /** Outside a transaction: for reading. */
  adapter: Adapter;
  adapterOn(db: Writer): Promise<Adapter>;
  commits: CommitQueue;
}

export function withCommittedWrites({ adapter, adapterOn, commits }: Parts): Adapter {
  function commit<Result>(write: (inside: Adapter) => Promise<Result>): Promise<Result> {
    return commits.write(async ({ db }) => write(await adapterOn(db)));
  }

  /**
   * New rows wait until the work is done, for it hashes a password, and a transaction must not wait for
   * that. They go into one commit then.
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

/** Two sign-ups at the same moment have both found the address free. */
async function checkNotTaken(inside: Adapter, row: Record<string, unknown>): Promise<void> {
  for (const field of ['email', 'mailboxKey']) {
    const where = [{ field, value: String(row[field]) }];
    if (await inside.findOne({ model: 'user', where })) throw new Refusal('EMAIL_TAKEN');
  }
}
