// The receipts of commits on PostgreSQL. Each commit writes a random id into the row of its queue. If the reply to a commit is
// lost, the row tells whether the commit succeeded, also after a crash or a failover (decision 20).
import { createRandomId } from '#server/base/random-id.ts';
import type { Database } from './tables.ts';

export interface Receipt {
  queue: string;
  id: string;
}

/** @returns a receipt of the next commit of a queue, whose id is random */
export const createReceipt = (queue: string): Receipt => ({ queue, id: createRandomId() });

/** Formats the statement that a transaction sends together with its `begin`. Random ids need no quoting. */
export const formatSaveReceipt = ({ queue, id }: Receipt): string =>
  `insert into "commitReceipts" (queue, id) values ('${queue}', '${id}') on conflict (queue) do update set id = excluded.id`;

/**
 * Tells whether the transaction with this receipt has committed. The statement waits for a transaction that is still open. It is an
 * insert, because a select would not see the row that the first transaction of a queue inserts.
 *
 * @throws if the database does not respond, or the transaction stays open
 */
export async function isReceiptSaved(db: Database, { queue, id }: Receipt): Promise<boolean> {
  const row = await db
    .insertInto('commitReceipts')
    .values({ queue, id: '' })
    .onConflict((conflict) => conflict.column('queue').doUpdateSet({ queue }))
    .returning('id')
    .executeTakeFirst();
  return row?.id === id;
}

/**
 * Deletes receipts that are still the last ones of their queues, and returns those that are stored now. Between two calls, servers
 * that have ended save none. A queue that only rested saves its next receipt in a new row.
 */
export async function deleteOldReceipts(
  db: Database,
  oldReceipts: readonly Receipt[],
): Promise<Receipt[]> {
  // One by one, because a delete that waits for the commit of one queue must not lock the rows of others.
  for (const { queue, id } of oldReceipts) {
    await db.deleteFrom('commitReceipts').where('queue', '=', queue).where('id', '=', id).execute();
  }
  return db.selectFrom('commitReceipts').selectAll().execute();
}
